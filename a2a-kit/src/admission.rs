//! Who may call what: version, extensions and capabilities, before a request is read.
//!
//! Comes in: headers and query of a call, then the operation that it names. Goes out: the
//! [`CallContext`] that the service gets, or the error of specification 3.3.4 and 3.6.2.

use std::borrow::Cow;
use std::sync::Arc;

use a2a_wire::v1_0::AgentCard;
use http::HeaderMap;
use http::request::Parts;
use percent_encoding::percent_decode_str;

use crate::capability::Capabilities;
use crate::context::{Binding, CallContext, Caller, ProtocolVersion};
use crate::error::Error;
use crate::limits::CallLimits;
use crate::service::{OperationSpec, ServiceSpec};
use crate::v0_3;

/// Name of the header, query parameter or gRPC metadata that names the protocol version.
pub(crate) const VERSION: &str = "a2a-version";
/// Name of the header or gRPC metadata that lists extensions.
pub(crate) const EXTENSIONS: &str = "a2a-extensions";

/// Decides about a call before its request is read.
pub trait Admission: Send + Sync + 'static {
    /// Refuses a version that is not served by this binding. Asked before the operation is known,
    /// since its name only means something in a version.
    ///
    /// # Errors
    /// `VersionNotSupportedError`, for A2A.
    fn admit_version(&self, service: &ServiceSpec, context: &CallContext) -> Result<(), Error> {
        let _ = (service, context);
        Ok(())
    }

    /// Lets a call in, and notes in its context what holds for it.
    ///
    /// # Errors
    /// Why the call is refused.
    fn admit(
        &self,
        service: &ServiceSpec,
        operation: &OperationSpec,
        context: CallContext,
    ) -> Result<CallContext, Error>;
}

/// Lets every call in: for services of other protocols.
#[derive(Debug, Clone, Copy, Default)]
pub struct Open;

impl Admission for Open {
    fn admit(
        &self,
        _service: &ServiceSpec,
        _operation: &OperationSpec,
        context: CallContext,
    ) -> Result<CallContext, Error> {
        Ok(context)
    }
}

/// Lets in what an agent card promises: versions for each binding, required extensions,
/// capabilities.
#[derive(Debug, Clone)]
pub struct CardAdmission {
    interfaces: Vec<(Binding, ProtocolVersion)>,
    known: Vec<String>,
    required: Vec<String>,
    capabilities: Capabilities,
}

impl CardAdmission {
    /// Reads what a card promises. Interfaces of other bindings, and versions that are none, are
    /// left out.
    #[must_use]
    pub fn new(card: &AgentCard) -> Self {
        let interfaces = card
            .supported_interfaces
            .iter()
            .filter_map(|interface| {
                Some((
                    Binding::from_card_name(&interface.protocol_binding)?,
                    interface.protocol_version.parse().ok()?,
                ))
            })
            .collect();
        let extensions = card
            .capabilities
            .as_ref()
            .map_or(&[][..], |capabilities| &capabilities.extensions);
        Self {
            interfaces,
            known: extensions
                .iter()
                .map(|extension| extension.uri.clone())
                .collect(),
            required: extensions
                .iter()
                .filter(|extension| extension.required)
                .map(|extension| extension.uri.clone())
                .collect(),
            capabilities: Capabilities::of(card),
        }
    }

    /// True when the card has an interface of this binding, in any version.
    #[must_use]
    pub fn declares(&self, binding: Binding) -> bool {
        self.interfaces
            .iter()
            .any(|(declared, _)| *declared == binding)
    }

    /// True when the card has an interface of this binding in this version.
    pub(crate) fn declares_in(&self, binding: Binding, version: ProtocolVersion) -> bool {
        self.interfaces.contains(&(binding, version))
    }

    fn admit_extensions(&self, service: &ServiceSpec, context: &CallContext) -> Result<(), Error> {
        let asked = context.extensions();
        let missing: Vec<&str> = self
            .required
            .iter()
            .map(String::as_str)
            .filter(|uri| !asked.iter().any(|asked| asked == uri))
            .collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            let header = service.extensions_header.unwrap_or("A2A-Extensions");
            return Err(Error::extension_support_required(format!(
                "this agent requires the extension {missing}; declare it in the header {header}"
            ))
            .with_metadata("requiredExtensions", missing));
        }
        for uri in asked.iter().filter(|uri| self.known.contains(uri)) {
            context.activate_extension(uri.as_str());
        }
        Ok(())
    }

    pub(crate) fn admit_capability(&self, operation: &OperationSpec) -> Result<(), Error> {
        self.capabilities.admit(operation)
    }
}

impl Admission for CardAdmission {
    fn admit_version(&self, service: &ServiceSpec, context: &CallContext) -> Result<(), Error> {
        let (binding, version) = (context.binding(), context.version());
        if binding == Binding::Local {
            return Ok(());
        }
        let spoken = |version: ProtocolVersion| {
            service.version.is_none_or(|own| {
                let others = v0_3::other_versions(service).iter();
                own == version
                    || others
                        .into_iter()
                        .any(|other| other.version == Some(version))
            })
        };
        let mut served: Vec<ProtocolVersion> = self
            .interfaces
            .iter()
            .filter(|(declared, version)| *declared == binding && spoken(*version))
            .map(|(_, version)| *version)
            .collect();
        if served.contains(&version) && service.version.is_none_or(|own| own == version) {
            return Ok(());
        }
        served.sort_unstable();
        served.dedup();
        let supported: Vec<String> = served.iter().map(ToString::to_string).collect();
        let name = binding.card_name();
        let hint = match (&*supported, context.headers().contains_key(VERSION)) {
            ([], _) => format!("this agent serves no version of A2A over {name} here"),
            ([.., last], false) => {
                format!("without A2A-Version a call is in version 0.3; send A2A-Version: {last}")
            }
            (all, true) if served.contains(&version) => format!(
                "the call is addressed to the service {}; this agent serves {} over {name}",
                service.name,
                all.join(", ")
            ),
            (all, true) => format!("this agent serves {} over {name}", all.join(", ")),
        };
        Err(
            Error::version_not_supported(format!("A2A version {version} is not supported: {hint}"))
                .with_metadata("requestedVersion", version.to_string())
                .with_metadata("supportedVersions", supported.join(",")),
        )
    }

    fn admit(
        &self,
        service: &ServiceSpec,
        operation: &OperationSpec,
        context: CallContext,
    ) -> Result<CallContext, Error> {
        self.admit_version(service, &context)?;
        self.admit_extensions(service, &context)?;
        match self.admit_capability(operation) {
            // Version 0.3 has one error for a card that is not promised and one that is not there.
            Err(error)
                if service.version == Some(ProtocolVersion::V0_3)
                    && operation.capability == Some("extended_agent_card") =>
            {
                Err(Error::extended_agent_card_not_configured(
                    error.message().to_owned(),
                ))
            }
            admitted => admitted.map(|()| context),
        }
    }
}

/// Makes the context of a call from the head of its request: version, extensions, headers, and the
/// [`Caller`](crate::Caller) when a layer in front put one into the request's extensions.
///
/// A service without a version of its own takes `A2A-Version` for any other header.
///
/// # Errors
/// `VersionNotSupportedError` when the version is none.
pub(crate) fn call_context(
    service: &ServiceSpec,
    binding: Binding,
    request: &Parts,
) -> Result<CallContext, Error> {
    let headers = &request.headers;
    let version = match (service.version, request.extensions.get::<Inferred>()) {
        (Some(_), Some(Inferred(version))) => *version,
        (Some(_), None) => asked_version(headers, request.uri.query().unwrap_or_default())?,
        (None, _) => ProtocolVersion::V1_0,
    };
    let caller = request
        .extensions
        .get::<Caller>()
        .cloned()
        .unwrap_or_default();
    let context = CallContext::new(binding, version)
        .with_extensions(asked_extensions(headers))
        .with_caller(caller)
        .with_headers(headers.clone());
    Ok(match request.extensions.get::<Arc<CallLimits>>() {
        Some(limits) => context.with_limits(Arc::clone(limits)),
        None => context,
    })
}

/// True when a call is in version 0.3, by what it says or because it says nothing.
pub(crate) fn is_v0_3(request: &Parts) -> bool {
    let query = request.uri.query().unwrap_or_default();
    asked_version(&request.headers, query).is_ok_and(|asked| asked == ProtocolVersion::V0_3)
}

/// The version that a call which names none has by its shape, where a server goes by that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inferred(pub(crate) ProtocolVersion);

/// True when a call says nothing about its version.
pub(crate) fn names_no_version(request: &Parts) -> bool {
    let says_nothing = |value: &[u8]| value.trim_ascii().is_empty();
    let mut headers = request.headers.get_all(VERSION).iter();
    headers.all(|value| says_nothing(value.as_bytes()))
        && query_values(request.uri.query().unwrap_or_default(), VERSION)
            .all(|value| says_nothing(value.as_bytes()))
}

/// The version that a request names; `None` when it names none, or one that is none.
pub(crate) fn named_version(request: &Parts) -> Option<ProtocolVersion> {
    let values = request.headers.get_all(VERSION).iter();
    let from_headers = values.map(|value| String::from_utf8_lossy(value.as_bytes()));
    let query = request.uri.query().unwrap_or_default();
    agreed(from_headers)
        .ok()?
        .or_else(|| agreed(query_values(query, VERSION)).ok()?)
}

/// The version that a call asks for: the header, else the query parameter, else 0.3. Values that
/// are empty say nothing; several must agree.
fn asked_version(headers: &HeaderMap, query: &str) -> Result<ProtocolVersion, Error> {
    let from_headers = headers
        .get_all(VERSION)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()));
    if let Some(version) = agreed(from_headers)? {
        return Ok(version);
    }
    Ok(agreed(query_values(query, VERSION))?.unwrap_or(ProtocolVersion::V0_3))
}

fn agreed<'a>(
    values: impl Iterator<Item = Cow<'a, str>>,
) -> Result<Option<ProtocolVersion>, Error> {
    let mut found = None;
    for value in values.filter(|value| !value.trim().is_empty()) {
        let version: ProtocolVersion = value.parse().map_err(|error| {
            Error::version_not_supported(format!("A2A-Version: {error}")).with_metadata(
                "requestedVersion",
                value.chars().take(32).collect::<String>(),
            )
        })?;
        if found.is_some_and(|found| found != version) {
            return Err(Error::version_not_supported(
                "A2A-Version is given twice, with different versions",
            ));
        }
        found = Some(version);
    }
    Ok(found)
}

/// Values of a query parameter, its name compared without regard to case.
fn query_values<'a>(query: &'a str, name: &'a str) -> impl Iterator<Item = Cow<'a, str>> {
    query.split('&').filter_map(move |pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        // Both names are plain letters, but a client may escape any letter.
        let same = key.eq_ignore_ascii_case(name)
            || (key.contains('%')
                && percent_decode_str(key)
                    .decode_utf8_lossy()
                    .eq_ignore_ascii_case(name));
        same.then(|| match percent_decode_str(value).decode_utf8_lossy() {
            Cow::Borrowed(text) if !text.contains('+') => Cow::Borrowed(text),
            text => Cow::Owned(text.replace('+', " ")),
        })
    })
}

/// URIs of the extensions that a call asks for: comma lists in any number of headers, each URI
/// once. Values that are no text name no extension.
fn asked_extensions(headers: &HeaderMap) -> Vec<String> {
    let mut asked: Vec<String> = Vec::new();
    let values = headers
        .get_all(EXTENSIONS)
        .iter()
        .chain(headers.get_all(v0_3::A2A_EXTENSIONS_HEADER));
    for value in values.filter_map(|value| std::str::from_utf8(value.as_bytes()).ok()) {
        for uri in value
            .split(',')
            .map(str::trim)
            .filter(|uri| !uri.is_empty())
        {
            if !asked.iter().any(|known| known == uri) {
                asked.push(uri.to_owned());
            }
        }
    }
    asked
}

/// Tells the client which extensions are in use (specification 3.2.6).
pub(crate) fn echo_extensions(
    service: &ServiceSpec,
    context: &CallContext,
    headers: &mut HeaderMap,
) {
    let activated = context.activated_extensions();
    if activated.is_empty() {
        return;
    }
    // A URI that cannot stand in a header cannot have been asked for in one either.
    if let Ok(value) = http::HeaderValue::try_from(activated.join(", ")) {
        let name = service.extensions_header.unwrap_or(EXTENSIONS);
        headers.insert(http::HeaderName::from_static(name), value);
    }
}

#[cfg(test)]
mod tests;
