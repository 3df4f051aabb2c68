//! The earlier turns of a conversation.

use a2a_wire::v1_0::{Message, Role};

use super::super::parts::text_of;

/// An earlier turn of a conversation: a message of the client, and what the agent said to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn<'a> {
    message: &'a Message,
    replies: &'a [Message],
}

impl<'a> Turn<'a> {
    /// The client's message.
    #[must_use]
    pub fn message(&self) -> &'a Message {
        self.message
    }

    /// The texts of the client's message, one per line; parts of other kinds are passed over.
    #[must_use]
    pub fn text(&self) -> String {
        text_of(self.message)
    }

    /// What the agent said until the client's next message: news, and at last the question.
    #[must_use]
    pub fn replies(&self) -> &'a [Message] {
        self.replies
    }

    /// The last that the agent said: what the client's next message answers.
    #[must_use]
    pub fn question(&self) -> Option<&'a Message> {
        self.replies.last()
    }
}

/// The turns of a history.
pub(super) fn turns(history: &[Message]) -> impl Iterator<Item = Turn<'_>> {
    let is_client = |message: &Message| message.role() == Role::User;
    // What the agent said before anybody spoke answers nothing.
    let begin = history.iter().position(is_client);
    let mut rest = &history[begin.unwrap_or(history.len())..];
    std::iter::from_fn(move || {
        let (message, others) = rest.split_first()?;
        let end = others.iter().position(is_client).unwrap_or(others.len());
        let (replies, next) = others.split_at(end);
        rest = next;
        Some(Turn { message, replies })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_of_the_client_goes_with_what_was_said_to_it() {
        let said = |role: Role, id: &str| Message::new().with_role(role).with_message_id(id);
        let (user, agent) = (|id| said(Role::User, id), |id| said(Role::Agent, id));
        let history = [
            agent("welcome"),
            user("1"),
            agent("working"),
            agent("which?"),
            user("2"),
            user("3"),
            agent("when?"),
        ];
        let seen: Vec<_> = turns(&history)
            .map(|turn| {
                let question = turn.question().map(|message| &*message.message_id);
                (&*turn.message().message_id, turn.replies().len(), question)
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("1", 2, Some("which?")),
                ("2", 0, None),
                ("3", 1, Some("when?"))
            ]
        );
        assert_eq!(turns(&history[..1]).count(), 0);
        assert_eq!(turns(&[]).count(), 0);
    }
}
