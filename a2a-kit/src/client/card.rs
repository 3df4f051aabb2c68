//! How a client comes by the card of an agent, and how long it believes it.
//!
//! Comes in: a place, and what is known of the card there; or a card. Goes out: a card whose
//! interfaces have absolute addresses, however it came in; how long it may be used without a
//! question (specification 8.6); or why there is none.

use std::time::Duration;

use a2a_wire::__codegen::WireMessage as _;
use a2a_wire::adapt::Options;
use a2a_wire::v1_0::AgentCard;
use a2a_wire::{json, v0_3_json};
use bytes::Bytes;
use http::header::{
    ACCEPT, AGE, CACHE_CONTROL, CONTENT_TYPE, DATE, ETAG, EXPIRES, HeaderMap, HeaderName,
    HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Limited};
use serde::Deserialize;

use super::errors;
use super::line::broken;
use super::location::{CardPlace, resolve};
use super::transport::{CallOptions, Transport};
use crate::body::Body;
use crate::error::{Code, Error};
use crate::generated::v1_0::A2A_SERVICE;

/// How long a card is believed when its server does not say.
const USUAL_LIFETIME: Duration = Duration::from_secs(300);
/// How long it is believed whatever its server says: calls are not held up for it all the time.
const LEAST_LIFETIME: Duration = Duration::from_secs(30);
/// How long it is believed at most; also after a question that was not answered.
const MOST_LIFETIME: Duration = Duration::from_secs(86_400);
/// How large a card may be.
const LIMIT: usize = 8 << 20;

/// A moment, as far as there is a clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment(#[cfg(not(target_family = "wasm"))] tokio::time::Instant);

impl Moment {
    /// The moment after a while.
    pub(super) fn after(wait: Duration) -> Self {
        #[cfg(not(target_family = "wasm"))]
        {
            let now = tokio::time::Instant::now();
            // One that no clock reaches is far away.
            let far = now + Duration::from_secs(86_400 * 365);
            Self(now.checked_add(wait).unwrap_or(far))
        }
        #[cfg(target_family = "wasm")]
        {
            let _ = wait;
            Self()
        }
    }

    /// How long it is until then; without a clock, as long as it was from the start.
    pub(super) fn left_of(self, wait: Duration) -> Duration {
        #[cfg(not(target_family = "wasm"))]
        {
            let _ = wait;
            self.0
                .saturating_duration_since(tokio::time::Instant::now())
        }
        #[cfg(target_family = "wasm")]
        wait
    }

    /// Without a clock, it never has.
    pub(super) fn has_passed(self) -> bool {
        #[cfg(not(target_family = "wasm"))]
        return tokio::time::Instant::now() >= self.0;
        #[cfg(target_family = "wasm")]
        return false;
    }
}

/// A card, where it was, and how to ask whether it is still the same.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) card: AgentCard,
    pub(super) place: Uri,
    pub(super) validators: Validators,
    pub(super) lifetime: Duration,
}

/// What makes a question conditional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Validators {
    etag: Option<HeaderValue>,
    modified: Option<HeaderValue>,
}

/// What a question brought.
#[derive(Debug)]
pub(super) enum News {
    /// A card.
    Card(Box<Found>),
    /// The card is what it was, and may be believed for so long again.
    Same(Duration),
}

/// Looks for a card: at the first place, and at the second one when the first has none.
pub(super) async fn find(
    transport: &dyn Transport,
    place: &CardPlace,
    timeout: Option<Duration>,
) -> Result<Found, Error> {
    let first = match fetch(transport, &place.first, None, timeout).await {
        Ok(news) => return whole(news),
        Err(error) => error,
    };
    let Some(second) = place.second.as_ref().filter(|_| is_missing(&first)) else {
        return Err(first);
    };
    match fetch(transport, second, None, timeout).await {
        Ok(news) => whole(news),
        Err(error) if is_missing(&error) => Err(Error::new(
            Code::NotFound,
            format!(
                "there is no agent card at {} (HTTP {}) nor at {} (HTTP {}); is the address that of the agent? The card's own address can be given too",
                shown(&place.first),
                status(&first),
                shown(second),
                status(&error),
            ),
        )
        .with_peer_status(status(&first))),
        Err(error) => Err(error),
    }
}

/// A server that has no such file says so by 404, or by 405 when it knows the path otherwise.
fn is_missing(error: &Error) -> bool {
    matches!(error.peer_status(), Some(404 | 405))
}

fn status(error: &Error) -> u16 {
    error.peer_status().unwrap_or_default()
}

fn whole(news: News) -> Result<Found, Error> {
    match news {
        News::Card(found) => Ok(*found),
        News::Same(_) => Err(Error::invalid_agent_response(
            "the server answered a first question for its card with 304, as if it had answered before",
        )),
    }
}

/// Asks for the card at a place; whether it is another one than the known one, where one is known.
pub(super) async fn fetch(
    transport: &dyn Transport,
    place: &Uri,
    known: Option<&Validators>,
    timeout: Option<Duration>,
) -> Result<News, Error> {
    let name = |message: &str| format!("the agent card at {}: {message}", shown(place));
    let request = question(place, known);
    let options = CallOptions {
        total: timeout,
        ..CallOptions::default()
    };
    let response = transport
        .send(request, options)
        .await
        .map_err(Error::from)
        .map_err(|error| error.with_message(name))?;
    let (head, body) = response.into_parts();
    if head.status == StatusCode::NOT_MODIFIED && known.is_some() {
        return Ok(News::Same(lifetime(&head.headers)));
    }
    let body = read(body).await.map_err(|error| error.with_message(name))?;
    if head.status != StatusCode::OK {
        return Err(
            errors::from_http(&A2A_SERVICE, head.status, &head.headers, &body).with_message(name),
        );
    }
    let card = read_card(&body, Some(place))
        .map_err(|error| unreadable(&error, &head.headers, &body).with_message(name))?;
    let header = |name: HeaderName| head.headers.get(name).cloned();
    Ok(News::Card(Box::new(Found {
        card,
        place: place.clone(),
        validators: Validators {
            etag: header(ETAG),
            modified: header(LAST_MODIFIED),
        },
        lifetime: lifetime(&head.headers),
    })))
}

fn question(place: &Uri, known: Option<&Validators>) -> Request<Bytes> {
    let mut request = Request::new(Bytes::new());
    *request.uri_mut() = place.clone();
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    // Servers that have a card for each version go by it.
    headers.insert("a2a-version", HeaderValue::from_static("1.0"));
    if let Some(Validators { etag, modified }) = known {
        if let Some(etag) = etag {
            headers.insert(IF_NONE_MATCH, etag.clone());
        }
        if let Some(modified) = modified {
            headers.insert(IF_MODIFIED_SINCE, modified.clone());
        }
    }
    request
}

async fn read(body: Body) -> Result<Bytes, Error> {
    match Limited::new(body, LIMIT).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(Error::new(
            Code::ResourceExhausted,
            format!("it is larger than {LIMIT} bytes"),
        )),
        Err(error) => Err(broken(error)),
    }
}

fn unreadable(error: &json::Error, headers: &HeaderMap, body: &[u8]) -> Error {
    let kind = headers.get(CONTENT_TYPE).map_or_else(
        || "without a Content-Type".to_owned(),
        |kind| {
            format!(
                "Content-Type {:?}",
                String::from_utf8_lossy(kind.as_bytes())
            )
        },
    );
    let fault = fault(error);
    Error::invalid_agent_response(format!(
        "what is there is no agent card ({kind}): {fault}{}",
        errors::preview(body)
    ))
    .with_peer_body(body)
    .with_peer_status(200)
}

/// The place in a text and what is wrong there.
pub(super) fn fault(error: &json::Error) -> String {
    match error.path() {
        "" => error.message().to_owned(),
        path => format!("{path}: {}", error.message()),
    }
}

/// A URL for messages: without its query, which may hold a secret.
pub(super) fn shown(place: &Uri) -> String {
    let text = place.to_string();
    text.split('?').next().unwrap_or_default().to_owned()
}

/// How long a card may be used, by the headers that it came with (RFC 9111, 4.2).
pub(crate) fn lifetime(headers: &HeaderMap) -> Duration {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let directives = || {
        headers
            .get_all(CACHE_CONTROL)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|directive| directive.trim().to_ascii_lowercase())
    };
    let seconds = |text: &str| {
        text.trim()
            .trim_matches('"')
            .parse()
            .ok()
            .map(Duration::from_secs)
    };
    let lifetime =
        if directives().any(|directive| matches!(directive.as_str(), "no-cache" | "no-store")) {
            Duration::ZERO
        } else if let Some(age) =
            directives().find_map(|directive| seconds(directive.strip_prefix("max-age=")?))
        {
            age.saturating_sub(text(AGE).and_then(seconds).unwrap_or_default())
        } else if let Some(expires) = text(EXPIRES) {
            until(expires, text(DATE))
        } else {
            USUAL_LIFETIME
        };
    lifetime.clamp(LEAST_LIFETIME, MOST_LIFETIME)
}

/// From the date of an answer to the date at which it expires; a date that is none is past.
#[cfg(not(target_family = "wasm"))]
fn until(expires: &str, date: Option<&str>) -> Duration {
    let read = |text: &str| httpdate::parse_http_date(text.trim()).ok();
    let date = date
        .and_then(read)
        .unwrap_or_else(std::time::SystemTime::now);
    read(expires)
        .and_then(|expires| expires.duration_since(date).ok())
        .unwrap_or_default()
}

#[cfg(target_family = "wasm")]
fn until(_expires: &str, _date: Option<&str>) -> Duration {
    USUAL_LIFETIME
}

/// The members by which cards name their interfaces in v0.3.
#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[derive(Default)]
struct OldCard {
    url: IsThere,
    preferred_transport: IsThere,
    additional_interfaces: IsThere,
}

/// True when there is anything.
#[derive(Default)]
struct IsThere(bool);

impl<'de> Deserialize<'de> for IsThere {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(input).map(|_| Self(true))
    }
}

/// Reads a card, of v1.0, of v0.3 or of both.
pub(super) fn read_card(text: &[u8], place: Option<&Uri>) -> Result<AgentCard, json::Error> {
    let old: OldCard = serde_json::from_slice(text).unwrap_or_default();
    let is_old = old.url.0 || old.preferred_transport.0 || old.additional_interfaces.0;
    let mut card = if is_old {
        let card = read_old_card(text)?;
        // An empty list of the new ones says no more than none.
        match serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(text) {
            Ok(mut members) if card.supported_interfaces.is_empty() => {
                members.remove("supportedInterfaces");
                members.remove("supported_interfaces");
                read_old_card(serde_json::Value::from(members).to_string().as_bytes())?
            }
            _ => card,
        }
    } else {
        AgentCard::read_json(text)?
    };
    normalise(&mut card, place);
    Ok(card)
}

fn read_old_card(text: &[u8]) -> Result<AgentCard, json::Error> {
    let (card, losses) = v0_3_json::read::<v0_3_json::AgentCard>(text, &Options::default())?;
    for loss in losses {
        tracing::debug!(
            id = loss.id,
            path = loss.path,
            "agent card: {}",
            loss.detail
        );
    }
    Ok(card)
}

/// Makes the addresses in a card absolute, where it is known what they are relative to.
pub(super) fn normalise(card: &mut AgentCard, place: Option<&Uri>) {
    for interface in &mut card.supported_interfaces {
        if let Ok(url) = resolve(place, &interface.url) {
            interface.url = url;
        }
    }
}

#[cfg(test)]
mod tests;
