//! Whether the agent takes the media types of a message's parts.

use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::{AgentCard, Message, Part};

use crate::Error;
use crate::error::{SHOWN, cut};

/// The media types that an agent's card says it takes: those of the agent, and those of any skill.
#[derive(Debug, Clone)]
pub(crate) struct Modes(Vec<String>);

impl Modes {
    pub(super) fn of(card: &AgentCard) -> Self {
        let of_skills = card.skills.iter().flat_map(|skill| &skill.input_modes);
        Self::new(card.default_input_modes.iter().chain(of_skills))
    }

    pub(crate) fn new<'a>(named: impl IntoIterator<Item = &'a String>) -> Self {
        let mut modes: Vec<String> = Vec::new();
        for mode in named {
            let mode = essence(mode);
            if !mode.is_empty() && !modes.contains(&mode) {
                modes.push(mode);
            }
        }
        Self(modes)
    }

    /// Refuses a part whose media type the card does not name. A card that names none takes all.
    pub(crate) fn check(&self, message: &Message) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        for (at, part) in message.parts.iter().enumerate() {
            if let Some(media_type) = media_type(part)
                && !self.0.iter().any(|mode| covers(mode, &media_type))
            {
                let field = format!("message.parts[{at}]");
                let media_type = cut(&media_type, SHOWN);
                return Err(Error::content_type_not_supported(format!(
                    "{field} is {media_type}, but this agent takes {}",
                    self.0.join(", ")
                ))
                .with_metadata("field", field)
                .with_metadata("mediaType", media_type)
                .with_metadata("supportedMediaTypes", self.0.join(",")));
            }
        }
        Ok(())
    }
}

/// The media type of a part: as it says, else by its kind. Files that do not say may be anything.
fn media_type(part: &Part) -> Option<String> {
    if !part.media_type.is_empty() {
        return Some(essence(&part.media_type));
    }
    match part.content {
        Some(Content::Text(_)) => Some("text/plain".to_owned()),
        Some(Content::Data(_)) => Some("application/json".to_owned()),
        _ => None,
    }
}

/// A media type without parameters, in lower case.
fn essence(media_type: &str) -> String {
    media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// Whether one of these modes covers a media type.
pub(crate) fn accepts(modes: &[String], media_type: &str) -> bool {
    let media_type = essence(media_type);
    modes.iter().any(|mode| covers(&essence(mode), &media_type))
}

/// `*/*` and `*` cover all types, `image/*` and `image` all of one kind.
fn covers(mode: &str, media_type: &str) -> bool {
    match mode.split_once('/') {
        Some(("*", "*")) => true,
        Some((kind, "*")) => media_type.split('/').next() == Some(kind),
        Some(_) => mode == media_type,
        None => mode == "*" || media_type.split('/').next() == Some(mode),
    }
}

#[cfg(test)]
mod tests {
    use a2a_wire::types::Value;
    use a2a_wire::v1_0::AgentSkill;

    use super::*;

    fn modes(agent: &[&str], skill: &[&str]) -> Modes {
        let owned = |modes: &[&str]| modes.iter().map(ToString::to_string).collect();
        let mut card = AgentCard::default();
        card.default_input_modes = owned(agent);
        let mut with = AgentSkill::default();
        with.input_modes = owned(skill);
        card.skills = vec![with];
        Modes::of(&card)
    }

    fn part(content: Content, media_type: &str) -> Part {
        let mut part = Part::default();
        part.content = Some(content);
        part.media_type = media_type.to_owned();
        part
    }

    fn takes(modes: &Modes, part: Part) -> bool {
        let mut message = Message::default();
        message.parts = vec![part];
        match modes.check(&message) {
            Ok(()) => true,
            Err(error) => {
                assert!(error.is_content_type_not_supported());
                false
            }
        }
    }

    #[test]
    fn media_types_are_compared_without_parameters_and_case() {
        let text = || Content::Text("hello".into());
        let bytes = || Content::Raw(bytes::Bytes::from_static(b"x"));
        let plain = modes(&["text/plain"], &["image/*"]);
        for (part, taken) in [
            (part(text(), ""), true),
            (part(text(), "Text/Plain; charset=utf-8"), true),
            (part(text(), "text/html"), false),
            (part(text(), "text/plainer"), false),
            (part(Content::Data(Value(1.into())), ""), false),
            (part(Content::Data(Value(1.into())), "text/plain"), true),
            (part(bytes(), ""), true),
            (part(Content::Url("https://a.test/x".into()), ""), true),
            (part(bytes(), "image/png"), true),
            (part(bytes(), "IMAGE/PNG"), true),
            (part(bytes(), "imagery/png"), false),
            (part(bytes(), "image"), true),
            (part(bytes(), "garbage"), false),
            (part(bytes(), "application/pdf"), false),
        ] {
            assert_eq!(takes(&plain, part.clone()), taken, "{part:?}");
        }
    }

    #[test]
    fn wildcards_of_cards_cover_their_kinds() {
        let file = |media_type: &str| part(Content::Raw(bytes::Bytes::new()), media_type);
        for (mode, media_type, taken) in [
            ("*/*", "anything/at-all", true),
            ("*", "anything/at-all", true),
            ("text", "text/csv", true),
            ("text", "application/json", false),
            ("application/*", "application/json", true),
            ("application/json; charset=utf-8", "application/json", true),
            ("application/json", "application/ld+json", false),
        ] {
            assert_eq!(
                takes(&modes(&[mode], &[]), file(media_type)),
                taken,
                "{mode} and {media_type}"
            );
        }
        assert!(
            takes(&modes(&[], &[]), file("anything/at-all")),
            "a card without modes takes all"
        );
    }

    #[test]
    fn a_refusal_names_the_part_and_what_is_taken() {
        let mut message = Message::default();
        message.parts = vec![
            part(Content::Text("a".into()), ""),
            part(Content::Text("b".into()), "text/html"),
        ];
        let error = modes(&["text/plain"], &["image/png"])
            .check(&message)
            .unwrap_err();
        assert_eq!(
            error.message(),
            "message.parts[1] is text/html, but this agent takes text/plain, image/png"
        );
        assert_eq!(error.metadata()["field"], "message.parts[1]");
    }

    #[test]
    fn a_refusal_does_not_repeat_a_media_type_of_any_length() {
        let mut message = Message::default();
        message.parts = vec![part(Content::Text("a".into()), &"x".repeat(1 << 20))];
        let error = modes(&["text/plain"], &[]).check(&message).unwrap_err();
        assert!(error.message().len() < 400, "{}", error.message().len());
        assert_eq!(error.metadata()["mediaType"].len(), SHOWN);
    }
}
