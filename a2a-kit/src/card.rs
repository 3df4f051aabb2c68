//! The agent card: is it whole, and how it is served.
//!
//! Comes in: an [`AgentCard`]. Goes out: what is wrong with it, before a server starts; and the
//! answers at `/.well-known/agent-card.json`, cacheable (specification 8.6), written once.
//!
//! The answer is `application/json`, not the media type of the HTTP+JSON binding: the card is read
//! before a binding is chosen, and clients of every binding read it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use a2a_wire::__codegen::{Violation, Violations, WireMessage as _};
use a2a_wire::v1_0::{AgentCard, AgentInterface};
use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, VARY,
};
use http::request::Parts;
use http::{HeaderMap, Method, Response, StatusCode};

use crate::admission;
use crate::body::Body;
use crate::capability::Capabilities;
use crate::context::{Binding, ProtocolVersion};
use crate::error::{Code, Error};

mod forms;

pub(crate) use forms::with_old_addresses;

/// Where the card is.
const PATH: &str = "/.well-known/agent-card.json";
/// Where early clients of v0.3 look for it.
const OLD_PATH: &str = "/.well-known/agent.json";

/// What makes a card useless or misleading, with JSON paths: required fields that are missing,
/// interfaces without address or version, names given twice.
///
/// Empty lists of media types, skills and tags are no faults: such cards exist and work.
///
/// ```
/// let faults = a2a_kit::card_faults(&a2a_kit::v1_0::AgentCard::default());
/// assert!(faults.iter().any(|fault| fault.field == "supportedInterfaces"));
/// ```
#[must_use]
pub fn card_faults(card: &AgentCard) -> Vec<Violation> {
    let mut required = Violations::default();
    card.check(&mut required);
    let mut faults: Vec<Violation> = required
        .found
        .into_iter()
        .filter(|fault| !is_lenient(&fault.field))
        .collect();
    let mut add = |field: String, description: String| {
        if !faults.iter().any(|known| known.field == field) {
            faults.push(Violation { field, description });
        }
    };
    if card.supported_interfaces.is_empty() {
        add(
            "supportedInterfaces".into(),
            "must name at least one interface: without it no client knows where to call".into(),
        );
    }
    for (index, interface) in card.supported_interfaces.iter().enumerate() {
        if let Err(fault) = check_url(interface) {
            add(format!("supportedInterfaces[{index}].url"), fault);
        }
        if interface.protocol_version.trim().is_empty() {
            add(
                format!("supportedInterfaces[{index}].protocolVersion"),
                "is missing; clients would take the interface for version 0.3".into(),
            );
        } else if let Err(error) = interface.protocol_version.parse::<ProtocolVersion>() {
            add(
                format!("supportedInterfaces[{index}].protocolVersion"),
                error.to_string(),
            );
        }
    }
    for (index, skill) in card.skills.iter().enumerate() {
        if !skill.id.is_empty()
            && card.skills[..index]
                .iter()
                .any(|earlier| earlier.id == skill.id)
        {
            add(
                format!("skills[{index}].id"),
                format!("{:?} is the id of an earlier skill", skill.id),
            );
        }
    }
    let extensions = card
        .capabilities
        .as_ref()
        .map_or(&[][..], |capabilities| &capabilities.extensions);
    for (index, extension) in extensions.iter().enumerate() {
        let field = || format!("capabilities.extensions[{index}].uri");
        if extension.uri.is_empty() {
            add(
                field(),
                "is missing; it is the name of the extension".into(),
            );
        } else if extension.uri.contains([',', ' '])
            || !extension.uri.bytes().all(|byte| byte.is_ascii_graphic())
        {
            add(
                field(),
                "must be a URI: clients name it in a header, in a list with commas".into(),
            );
        } else if extensions[..index]
            .iter()
            .any(|earlier| earlier.uri == extension.uri)
        {
            add(field(), format!("{:?} is declared twice", extension.uri));
        }
    }
    faults
}

/// What is wrong with the card of a tenant, beside the agent's.
pub(crate) fn tenant_card_faults(
    tenant: &str,
    card: &AgentCard,
    agent: &AgentCard,
) -> Vec<Violation> {
    let mut faults = card_faults(card);
    faults.extend(interface_faults(tenant, card));
    let mut add = |field: &str, description: &str| {
        faults.push(Violation {
            field: field.to_owned(),
            description: description.to_owned(),
        });
    };
    if tenant.is_empty() {
        add("name", "is empty; a tenant has a name");
    }
    let (own, all) = (Capabilities::of(card), Capabilities::of(agent));
    for (name, promised, kept) in [
        ("streaming", own.streaming, all.streaming),
        (
            "pushNotifications",
            own.push_notifications,
            all.push_notifications,
        ),
        (
            "extendedAgentCard",
            own.extended_agent_card,
            all.extended_agent_card,
        ),
    ] {
        if promised && !kept {
            add(
                &format!("capabilities.{name}"),
                "is true, and in the agent's own card it is not: calls are refused by that one first",
            );
        }
    }
    if card.security_schemes != agent.security_schemes
        || card.security_requirements != agent.security_requirements
    {
        add(
            "securityRequirements",
            "must be those of the agent's own card, schemes too: credentials are checked before the tenant is known",
        );
    }
    faults
}

/// True when the card has an interface of version 0.3.
pub(crate) fn speaks_v0_3(card: &AgentCard) -> bool {
    card.supported_interfaces.iter().any(forms::is_old)
}

/// What is wrong with the interfaces of a tenant's card: who goes by it must arrive at that tenant.
pub(crate) fn interface_faults(tenant: &str, card: &AgentCard) -> Vec<Violation> {
    let mut faults = Vec::new();
    for (index, interface) in card.supported_interfaces.iter().enumerate() {
        if interface.tenant != tenant {
            faults.push(Violation {
                field: format!("supportedInterfaces[{index}].tenant"),
                description: format!(
                    "must be {tenant:?}, so that who goes by this card arrives there"
                ),
            });
        }
    }
    faults
}

/// Required lists that may be empty.
fn is_lenient(field: &str) -> bool {
    matches!(field, "defaultInputModes" | "defaultOutputModes" | "skills")
        || (field.starts_with("skills[") && field.ends_with("].tags"))
}

fn check_url(interface: &AgentInterface) -> Result<(), String> {
    let url = &interface.url;
    if url.is_empty() {
        return Err("is missing; it is the address that clients call".into());
    }
    let binding = Binding::from_card_name(&interface.protocol_binding);
    let uri: Option<http::Uri> = url.parse().ok();
    let absolute = uri
        .as_ref()
        .is_some_and(|uri| uri.scheme().is_some() && uri.authority().is_some());
    match (binding, &uri) {
        // Custom bindings name their address as they like.
        (None, _) => return Ok(()),
        // gRPC clients take `host:port` too, and `dns:///host:port`.
        (Some(Binding::Grpc), _) if !absolute => {
            let address = url.strip_prefix("dns:///").unwrap_or(url);
            let authority = address.parse::<http::uri::Authority>().is_ok();
            return if authority {
                Ok(())
            } else {
                Err(format!("{url:?} is neither a URL nor host:port"))
            };
        }
        (Some(_), _) if !absolute => {
            return Err(format!(
                "{url:?} is no absolute URL; write one such as https://agent.example.com/a2a"
            ));
        }
        _ => {}
    }
    let path = uri.as_ref().map_or("", http::Uri::path);
    let verb = [":send", ":stream", ":cancel", ":subscribe"]
        .into_iter()
        .find(|verb| path.ends_with(verb));
    match verb {
        Some(verb) => Err(format!(
            "{url:?} ends in {verb}; write the base of the interface, to which clients add such paths"
        )),
        None => Ok(()),
    }
}

/// Answers requests for the card.
#[derive(Debug)]
pub(crate) struct CardEndpoint {
    /// For who does not say what he reads.
    usual: Document,
    /// As v1.0 has it, where the usual one has more.
    pure: Option<Document>,
    /// As v0.3 has it, where that is served.
    old: Option<Document>,
    modified: SystemTime,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// One form of the card.
#[derive(Debug)]
struct Document {
    json: Bytes,
    etag: String,
}

impl Document {
    fn new(json: impl Into<Bytes>) -> Self {
        let json = json.into();
        let etag = format!("\"{:032x}\"", fingerprint(&json));
        Self { json, etag }
    }
}

impl CardEndpoint {
    /// Writes the card. `modified` is the moment since which it has been the same, as far as the
    /// server knows.
    pub(crate) fn new(
        card: &AgentCard,
        max_age: Duration,
        modified: SystemTime,
    ) -> Result<Self, Error> {
        let mut pure = Vec::new();
        card.write_json(&mut pure).map_err(|error| {
            Error::invalid_field(error.path(), error.message()).with_source(error)
        })?;
        let old = forms::old(card)?;
        // HTTP dates are whole seconds.
        let seconds = modified
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        let modified = UNIX_EPOCH + Duration::from_secs(seconds);
        let text = |text: &str| {
            HeaderValue::from_str(text)
                .map_err(|error| Error::internal(format!("the card's headers: {error}")))
        };
        let mut headers = vec![
            (
                CACHE_CONTROL,
                text(&format!("max-age={}", max_age.as_secs()))?,
            ),
            (LAST_MODIFIED, text(&httpdate::fmt_http_date(modified))?),
        ];
        let (usual, pure, old) = match old {
            None => (Document::new(pure), None, None),
            Some(old) => {
                headers.push((VARY, text("A2A-Version, Accept")?));
                let both = forms::both(&pure, &old)?;
                (
                    Document::new(both),
                    Some(Document::new(pure)),
                    Some(Document::new(old)),
                )
            }
        };
        Ok(Self {
            usual,
            pure,
            old,
            modified,
            headers,
        })
    }

    /// Where the card is.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &'static str> {
        let old = self.old.is_some().then_some(OLD_PATH);
        [PATH].into_iter().chain(old)
    }

    /// True for a path at which the card is.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        self.paths().any(|known| known == path)
    }

    /// The form that a request is answered with: that of the version which it names; else, where it
    /// takes only the media type that v1.0 brought, that of v1.0; else, at the place that only v0.3
    /// has, that of v0.3; else the one that everybody reads.
    fn document(&self, request: &Parts) -> &Document {
        let (Some(pure), Some(old)) = (&self.pure, &self.old) else {
            return &self.usual;
        };
        match admission::named_version(request) {
            Some(ProtocolVersion::V0_3) => old,
            Some(ProtocolVersion::V1_0) => pure,
            _ if forms::takes_only_the_new(&request.headers) => pure,
            _ if request.uri.path() == OLD_PATH => old,
            _ => &self.usual,
        }
    }

    pub(crate) fn handle(&self, request: &Parts) -> Response<Body> {
        if request.method != Method::GET && request.method != Method::HEAD {
            return self.wrong_method();
        }
        let document = self.document(request);
        let mut response = Response::new(Body::empty());
        response.headers_mut().extend(self.headers.iter().cloned());
        if let Ok(etag) = HeaderValue::from_str(&document.etag) {
            response.headers_mut().insert(ETAG, etag);
        }
        if self.is_known(document, &request.headers) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if request.method == Method::HEAD {
            response
                .headers_mut()
                .insert(CONTENT_LENGTH, HeaderValue::from(document.json.len()));
        } else {
            *response.body_mut() = Body::full(document.json.clone());
        }
        response
    }

    #[allow(clippy::unused_self, reason = "it is an answer of the endpoint")]
    fn wrong_method(&self) -> Response<Body> {
        let error = Error::new(
            Code::Unimplemented,
            "the agent card is there for GET and HEAD",
        )
        .with_http_status(405);
        let mut json = Vec::new();
        error.write_status_json(&mut json);
        let mut response = Response::new(Body::full(json));
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }

    /// True when the client has this card already (RFC 9110, 13.2.2).
    fn is_known(&self, document: &Document, headers: &HeaderMap) -> bool {
        if headers.contains_key(IF_NONE_MATCH) {
            return headers.get_all(IF_NONE_MATCH).iter().any(|value| {
                value
                    .to_str()
                    .is_ok_and(|list| lists_tag(list, &document.etag))
            });
        }
        let since = headers
            .get(IF_MODIFIED_SINCE)
            .and_then(|value| value.to_str().ok())
            .and_then(|date| httpdate::parse_http_date(date).ok());
        since.is_some_and(|since| self.modified <= since)
    }
}

/// True when `If-None-Match` names the tag, by weak comparison.
fn lists_tag(list: &str, etag: &str) -> bool {
    let mut rest = list.trim();
    if rest == "*" {
        return true;
    }
    // Tags may hold commas, so they are taken off one by one.
    while !rest.is_empty() {
        let tag = rest.strip_prefix("W/").unwrap_or(rest);
        let Some(end) = tag.strip_prefix('"').and_then(|inner| inner.find('"')) else {
            return false;
        };
        let (tag, behind) = tag.split_at(end + 2);
        if tag == etag {
            return true;
        }
        rest = behind.trim_start().trim_start_matches(',').trim_start();
    }
    false
}

/// FNV-1a, 128 bits: the same in every process and version, which the standard hasher is not.
fn fingerprint(bytes: &[u8]) -> u128 {
    bytes
        .iter()
        .fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
            (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        })
}

#[cfg(test)]
mod tests;
