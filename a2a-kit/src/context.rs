//! What is known about one call besides its message.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use http::HeaderMap;

#[cfg(feature = "server")]
use crate::limits::CallLimits;

mod caller;
pub use caller::Caller;

/// How a call came in or goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Binding {
    /// JSON-RPC 2.0 over HTTP (specification section 9).
    JsonRpc,
    /// gRPC (section 10).
    Grpc,
    /// HTTP+JSON (section 11).
    Rest,
    /// A call inside the process.
    Local,
}

impl Binding {
    /// The name in an agent card's `protocolBinding`; empty for a local call.
    #[must_use]
    pub const fn card_name(self) -> &'static str {
        match self {
            Self::JsonRpc => "JSONRPC",
            Self::Grpc => "GRPC",
            Self::Rest => "HTTP+JSON",
            Self::Local => "",
        }
    }

    /// The binding that an agent card calls so, whatever the case of the letters; `None` for
    /// custom bindings.
    #[must_use]
    pub fn from_card_name(name: &str) -> Option<Self> {
        [Self::JsonRpc, Self::Grpc, Self::Rest]
            .into_iter()
            .find(|binding| binding.card_name().eq_ignore_ascii_case(name))
    }
}

/// A protocol version as it is negotiated: major and minor, never the patch (section 3.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProtocolVersion {
    /// The number before the first dot.
    pub major: u32,
    /// The number after it.
    pub minor: u32,
}

impl ProtocolVersion {
    /// A2A v0.3; also what an absent or empty version means.
    pub const V0_3: Self = Self { major: 0, minor: 3 };
    /// A2A v1.0.
    pub const V1_0: Self = Self { major: 1, minor: 0 };
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A text that is no protocol version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no protocol version; write Major.Minor, for example 1.0")]
pub struct ParseVersionError(String);

impl FromStr for ProtocolVersion {
    type Err = ParseVersionError;

    /// Reads `Major.Minor` or `Major.Minor.Patch`, without leading zeros; spaces around are cut.
    ///
    /// ```
    /// # use a2a_kit::ProtocolVersion;
    /// assert_eq!("1.0.1".parse(), Ok(ProtocolVersion::V1_0));
    /// assert!("v1.0".parse::<ProtocolVersion>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || ParseVersionError(text.to_owned());
        let number = |part: &str| {
            let plain = !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_digit())
                && (part == "0" || !part.starts_with('0'));
            plain
                .then(|| part.parse::<u32>().ok())
                .flatten()
                .ok_or_else(fail)
        };
        let mut parts = text.trim_matches([' ', '\t']).split('.');
        let (Some(major), Some(minor), patch, None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(fail());
        };
        if let Some(patch) = patch {
            number(patch)?;
        }
        Ok(Self {
            major: number(major)?,
            minor: number(minor)?,
        })
    }
}

/// What is known about one call besides its message: version, binding, headers, extensions, caller,
/// deadline. Cheap to clone; routers make it, services read it, clients send it.
#[derive(Debug, Clone)]
pub struct CallContext(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    binding: Binding,
    version: ProtocolVersion,
    headers: HeaderMap,
    extensions: Vec<String>,
    activated: Mutex<Vec<String>>,
    caller: Caller,
    deadline: Option<Instant>,
    #[cfg(feature = "server")]
    limits: Option<Arc<CallLimits>>,
    /// The skill that a client says its call is for.
    #[cfg(feature = "client")]
    skill: Option<Arc<str>>,
}

impl Default for CallContext {
    /// A call from inside the process, of which nothing else is known.
    fn default() -> Self {
        Self::new(Binding::Local, ProtocolVersion::V1_0)
    }
}

impl CallContext {
    /// A call by `binding` in `version` with nothing else known.
    #[must_use]
    pub fn new(binding: Binding, version: ProtocolVersion) -> Self {
        Self(Arc::new(Inner {
            binding,
            version,
            headers: HeaderMap::new(),
            extensions: Vec::new(),
            activated: Mutex::new(Vec::new()),
            caller: Caller::anonymous(),
            deadline: None,
            #[cfg(feature = "server")]
            limits: None,
            #[cfg(feature = "client")]
            skill: None,
        }))
    }

    fn with(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            change(inner);
            return self;
        }
        let shared = &self.0;
        let mut inner = Inner {
            binding: shared.binding,
            version: shared.version,
            headers: shared.headers.clone(),
            extensions: shared.extensions.clone(),
            activated: Mutex::new(
                shared
                    .activated
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone(),
            ),
            caller: shared.caller.clone(),
            deadline: shared.deadline,
            #[cfg(feature = "server")]
            limits: shared.limits.clone(),
            #[cfg(feature = "client")]
            skill: shared.skill.clone(),
        };
        change(&mut inner);
        Self(Arc::new(inner))
    }

    /// Sets the headers (gRPC: metadata) of the call.
    #[must_use]
    pub fn with_headers(self, headers: HeaderMap) -> Self {
        self.with(|inner| inner.headers = headers)
    }

    /// Sets the URIs of the extensions that the client asks for.
    #[must_use]
    pub fn with_extensions(self, extensions: Vec<String>) -> Self {
        self.with(|inner| inner.extensions = extensions)
    }

    /// Sets who calls.
    #[must_use]
    pub fn with_caller(self, caller: Caller) -> Self {
        self.with(|inner| inner.caller = caller)
    }

    /// Sets the moment after which the caller no longer waits.
    #[must_use]
    pub fn with_deadline(self, deadline: Instant) -> Self {
        self.with(|inner| inner.deadline = Some(deadline))
    }

    /// Sets what the call is counted against.
    #[cfg(feature = "server")]
    pub(crate) fn with_limits(self, limits: Arc<CallLimits>) -> Self {
        self.with(|inner| inner.limits = Some(limits))
    }

    /// What the call is counted against; `None` when nothing is limited.
    #[cfg(feature = "server")]
    pub(crate) fn limits(&self) -> Option<&Arc<CallLimits>> {
        self.0.limits.as_ref()
    }

    #[cfg(feature = "client")]
    pub(crate) fn with_skill(self, skill: Arc<str>) -> Self {
        self.with(|inner| inner.skill = Some(skill))
    }

    #[cfg(feature = "client")]
    pub(crate) fn skill(&self) -> Option<&Arc<str>> {
        self.0.skill.as_ref()
    }

    /// How the call came in.
    #[must_use]
    pub fn binding(&self) -> Binding {
        self.0.binding
    }

    /// The protocol version of the call.
    #[must_use]
    pub fn version(&self) -> ProtocolVersion {
        self.0.version
    }

    /// Headers of the HTTP request, or the metadata of the gRPC call.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// URIs of the extensions that the client asked for, each once, in its order.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.0.extensions
    }

    /// Who calls.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// The moment after which the caller no longer waits.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    /// Notes that an extension is in use for this call; the response tells the client.
    pub fn activate_extension(&self, uri: impl Into<String>) {
        let uri = uri.into();
        let mut activated = self
            .0
            .activated
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !activated.contains(&uri) {
            activated.push(uri);
        }
    }

    /// URIs of the extensions in use for this call.
    #[must_use]
    pub fn activated_extensions(&self) -> Vec<String> {
        self.0
            .activated
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
