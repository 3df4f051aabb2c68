//! Options of a [`Client`].
//!
//! Comes in: what the user wants to be different, and where the agent is. Goes out: a client that
//! has read the agent's card and chosen an interface.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use a2a_wire::adapt::FileBytes;
use a2a_wire::v1_0::AgentCard;
use http::{HeaderMap, Uri};

use super::call::Client;
use super::card::{self, Found, Moment};
use super::credentials::{Credentials, DefaultHeaders, Dressed, Interceptor};
use super::location::{CardPlace, Origin};
use super::retry::Retry;
use super::scheme::{SchemeCredentials, Schemes};
use super::select::Preferences;
use super::session::Session;
use super::stream::Reconnect;
use super::transport::{ChannelOptions, Transport};
use super::{address, call};
use crate::context::{Binding, ProtocolVersion};
use crate::error::{Code, Error};

/// What a client keeps of its builder.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) preferences: Preferences,
    pub(super) retry: Retry,
    pub(super) reconnect: Reconnect,
    pub(super) timeout: Option<Duration>,
    pub(super) send_timeout: Option<Duration>,
    pub(super) channel: ChannelOptions,
    pub(super) extensions: Vec<String>,
    pub(super) tenant: Option<String>,
    pub(super) any_address: bool,
    pub(super) file_bytes: FileBytes,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            preferences: Preferences::default(),
            retry: Retry::default(),
            reconnect: Reconnect::default(),
            timeout: Some(Duration::from_secs(30)),
            send_timeout: Some(Duration::from_secs(600)),
            channel: ChannelOptions::default(),
            extensions: Vec::new(),
            tenant: None,
            any_address: false,
            file_bytes: FileBytes::default(),
        }
    }
}

/// Makes a [`Client`].
///
/// ```no_run
/// use std::time::Duration;
/// use a2a_kit::Binding;
/// use a2a_kit::client::{Client, Credentials};
///
/// # async fn example() -> Result<(), a2a_kit::Error> {
/// let client = Client::builder()
///     .credentials(Credentials::bearer("token"))
///     .prefer([Binding::Grpc])
///     .timeout(Duration::from_secs(10))
///     .connect("https://agent.example.com")
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing until it connects"]
pub struct ClientBuilder {
    options: Options,
    transport: Option<Arc<dyn Transport>>,
    connect_timeout: Option<Duration>,
    credentials: Vec<Credentials>,
    schemes: Vec<(String, SchemeCredentials)>,
    any_scheme: Vec<SchemeCredentials>,
    interceptors: Vec<Arc<dyn Interceptor>>,
    headers: Result<HeaderMap, Error>,
    card_path: Option<String>,
    base_url: Option<String>,
}

impl Default for ClientBuilder {
    fn default() -> Self {
        Self {
            options: Options::default(),
            transport: None,
            connect_timeout: None,
            credentials: Vec::new(),
            schemes: Vec::new(),
            any_scheme: Vec::new(),
            interceptors: Vec::new(),
            headers: Ok(HeaderMap::new()),
            card_path: None,
            base_url: None,
        }
    }
}

impl ClientBuilder {
    /// Speaks no other bindings than these, in the order of the agent's card.
    pub fn bindings(mut self, bindings: impl IntoIterator<Item = Binding>) -> Self {
        self.options.preferences.only = Some(bindings.into_iter().collect());
        self
    }

    /// Tries these bindings before the others, in this order in place of the card's.
    pub fn prefer(mut self, bindings: impl IntoIterator<Item = Binding>) -> Self {
        self.options.preferences.first = bindings.into_iter().collect();
        self
    }

    /// Speaks this version of the protocol and no other.
    pub fn require_version(mut self, version: ProtocolVersion) -> Self {
        self.options.preferences.version = Some(version);
        self
    }

    /// Never falls back to a version that is older than this.
    pub fn at_least_version(mut self, version: ProtocolVersion) -> Self {
        self.options.preferences.least = Some(version);
        self
    }

    /// Asks for an extension of the protocol, by its URI, with every call.
    pub fn extension(mut self, uri: impl Into<String>) -> Self {
        self.options.extensions.push(uri.into());
        self
    }

    /// Calls for this tenant, in place of the one that the card names for an interface. Version 0.3 of
    /// the protocol has no tenants.
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.options.tenant = Some(tenant.into());
        self
    }

    /// Shows credentials for a security scheme of the agent's card, by the name that it has there.
    ///
    /// The card says where they go (in which header, for example), and its requirements say which are
    /// sent: those of the first requirement that this client has all credentials for. With
    /// credentials for schemes, a call that can meet no requirement of the card is refused before it
    /// goes out, and the error says what is missing. A header that is there anyway, by
    /// [`ClientBuilder::credentials`] or `Call::header`, is not missed. Of two for one scheme, the
    /// last one counts.
    ///
    /// ```
    /// use a2a_kit::client::{Client, SchemeCredentials};
    /// let builder = Client::builder()
    ///     .scheme("company-key", SchemeCredentials::api_key("key"))
    ///     .scheme("login", SchemeCredentials::basic("me", "password"));
    /// ```
    pub fn scheme(mut self, name: impl Into<String>, credentials: SchemeCredentials) -> Self {
        self.schemes.push((name.into(), credentials));
        self
    }

    /// As [`ClientBuilder::scheme`], for all schemes of the card that they fit and that have none of
    /// their own: a bearer token for OAuth 2, OpenID Connect and HTTP bearer, an API key for API keys.
    /// Of several, the first that fits counts.
    pub fn any_scheme(mut self, credentials: SchemeCredentials) -> Self {
        self.any_scheme.push(credentials);
        self
    }

    /// Shows credentials to the agent with every request, whatever its card says. Several kinds can
    /// be given; see [`Credentials`] for whom they go to.
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.credentials.push(credentials);
        self
    }

    /// Lets every request be seen before it leaves, after the interceptors that were added before.
    pub fn interceptor(mut self, interceptor: impl Interceptor) -> Self {
        self.interceptors.push(Arc::new(interceptor));
        self
    }

    /// Adds a header (metadata, over gRPC) to every request, whatever its host; for secrets there
    /// are [`Credentials`].
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        self.headers = self.headers.and_then(|mut headers| {
            let (name, value) = call::header(name.as_ref(), value.as_ref())?;
            headers.append(name, value);
            Ok(headers)
        });
        self
    }

    /// How long a connection may take to be there: 10 seconds by default. A transport that is given
    /// has its own limit.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// How long a call may take that the agent answers at once, and how long a stream may take to
    /// begin: 30 seconds by default.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.options.timeout = timeout.into();
        self
    }

    /// How long a message may take that is answered when the agent has done its work: 10 minutes by
    /// default.
    pub fn send_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.options.send_timeout = timeout.into();
        self
    }

    /// How long a stream may be silent before it counts as cut: 5 minutes by default. Comments that
    /// servers send to keep a stream open count as a sign of life.
    pub fn idle_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.options.channel = self.options.channel.idle_timeout(timeout);
        self
    }

    /// How large an answer may be: 64 MiB by default.
    pub fn answer_limit(mut self, bytes: usize) -> Self {
        self.options.channel = self.options.channel.answer_limit(bytes);
        self
    }

    /// How large an event of a stream may be: 16 MiB by default.
    pub fn event_limit(mut self, bytes: usize) -> Self {
        self.options.channel = self.options.channel.event_limit(bytes);
        self
    }

    /// Whether and how calls that failed are made again.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.options.retry = retry;
        self
    }

    /// How streams that were cut are taken up again.
    pub fn reconnect(mut self, reconnect: Reconnect) -> Self {
        self.options.reconnect = reconnect;
        self
    }

    /// Sends requests by another transport: one with certificates of its own, one that stands in
    /// front of another, one for tests.
    pub fn transport(mut self, transport: impl Transport) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// Where the card is, below the agent's address, for agents that do not have it at
    /// `/.well-known/agent-card.json`. Empty for the usual place.
    pub fn card_path(mut self, path: impl Into<String>) -> Self {
        self.card_path = Some(path.into());
        self
    }

    /// For a card that is given: the address that its relative addresses are relative to, and that
    /// credentials are for.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Calls interfaces wherever a card says that they are.
    ///
    /// Otherwise the interfaces of a card from the open internet are not called when their host is
    /// an address (or a name such as `localhost`) inside of a network: whoever can write a card
    /// could have this client call its neighbours. Names that only a resolver knows to be inside are
    /// not looked up here; a transport can refuse them.
    pub fn allow_any_address(mut self) -> Self {
        self.options.any_address = true;
        self
    }

    /// How agents of version 0.3 have the bytes of files over gRPC and HTTP+JSON. The schema says as
    /// they are, and some SDKs take base64 text there only, Python's among them. By default both are
    /// read and bytes are written; over JSON-RPC there is one form only.
    ///
    /// ```
    /// use a2a_kit::Client;
    /// use a2a_kit::wire::adapt::FileBytes;
    /// let builder = Client::builder().v0_3_file_bytes(FileBytes::Base64Text);
    /// ```
    pub fn v0_3_file_bytes(mut self, file_bytes: FileBytes) -> Self {
        self.options.file_bytes = file_bytes;
        self
    }

    /// Connects to the agent at an address, below which its card is
    /// (`/.well-known/agent-card.json`, or `/.well-known/agent.json` when there is none). An address
    /// whose path ends in `.json` is that of the card itself.
    ///
    /// # Errors
    /// When there is no card, it cannot be read, or it names no interface that can be called.
    pub async fn connect(self, url: impl AsRef<str>) -> Result<Client, Error> {
        let place = CardPlace::of_agent(url.as_ref(), self.card_path.as_deref())?;
        self.look(place).await
    }

    /// Connects to the agent whose card is at an address.
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    pub async fn connect_to_card(self, url: impl AsRef<str>) -> Result<Client, Error> {
        let place = CardPlace::exactly(url.as_ref())?;
        self.look(place).await
    }

    async fn look(self, place: CardPlace) -> Result<Client, Error> {
        let home = Origin::of(&place.first);
        let (options, transport) = self.parts(home.as_ref())?;
        let Found {
            card,
            place,
            validators,
            lifetime,
        } = card::find(&transport, &place, options.timeout)
            .await
            .map_err(|error| call::with_credentials_hint(error, &transport, home.as_ref()))?;
        let session = Session::open(card, Some(place), &options, &transport, None)?;
        let known = call::Known {
            validators,
            until: Moment::after(lifetime),
        };
        Ok(Client::new(options, transport, session, Some(known)))
    }

    /// A client for the agent of a card. Nothing is called before its first operation, and the card
    /// stays what it is.
    ///
    /// # Errors
    /// When the card names no interface that can be called.
    pub fn with_card(self, card: impl Into<AgentCard>) -> Result<Client, Error> {
        let base = self.base()?;
        let mut card = card.into();
        card::normalise(&mut card, base.as_ref());
        self.given(card, base)
    }

    /// A client for the agent of a card, in JSON; also one of A2A 0.3.
    ///
    /// # Errors
    /// As [`ClientBuilder::with_card`], and when it is no card.
    pub fn with_card_json(self, json: impl AsRef<[u8]>) -> Result<Client, Error> {
        let base = self.base()?;
        let card = card::read_card(json.as_ref(), base.as_ref()).map_err(|error| {
            Error::new(
                Code::InvalidArgument,
                format!("the text is no agent card: {}", card::fault(&error)),
            )
            .with_source(error)
        })?;
        self.given(card, base)
    }

    fn base(&self) -> Result<Option<Uri>, Error> {
        self.base_url.as_deref().map(below).transpose()
    }

    fn given(self, card: AgentCard, base: Option<Uri>) -> Result<Client, Error> {
        let home = base.as_ref().and_then(Origin::of);
        let (options, transport) = self.parts(home.as_ref())?;
        let session = Session::open(card, base, &options, &transport, None)?;
        Ok(Client::new(options, transport, session, None))
    }

    fn parts(self, home: Option<&Origin>) -> Result<(Options, Dressed), Error> {
        let transport = match self.transport {
            Some(transport) => transport,
            None => usual_transport(self.connect_timeout)?,
        };
        let mut interceptors = self.interceptors;
        let headers = self.headers?;
        if !headers.is_empty() {
            interceptors.insert(0, Arc::new(DefaultHeaders(headers)));
        }
        let schemes = if self.schemes.is_empty() && self.any_scheme.is_empty() {
            None
        } else {
            let transport = Arc::clone(&transport);
            Some(Schemes::new(
                self.schemes,
                self.any_scheme,
                transport,
                home.cloned(),
            )?)
        };
        let dressed = Dressed::new(transport, interceptors, self.credentials, home)?;
        Ok((
            self.options,
            match schemes {
                Some(schemes) => dressed.with_schemes(schemes),
                None => dressed,
            },
        ))
    }
}

/// The place of a card below an address, so that what is relative to the card is below it too.
fn below(url: &str) -> Result<Uri, Error> {
    let uri = address::http(url.trim())?;
    if uri.path().ends_with(".json") {
        return Ok(uri);
    }
    CardPlace::of_agent(url, None).map(|place| place.first)
}

#[cfg(not(target_family = "wasm"))]
fn usual_transport(connect_timeout: Option<Duration>) -> Result<Arc<dyn Transport>, Error> {
    let mut builder = super::HttpTransport::builder();
    if let Some(timeout) = connect_timeout {
        builder = builder.connect_timeout(timeout);
    }
    Ok(Arc::new(builder.build()?))
}

#[cfg(target_family = "wasm")]
fn usual_transport(_connect_timeout: Option<Duration>) -> Result<Arc<dyn Transport>, Error> {
    Err(Error::new(
        Code::InvalidArgument,
        "there are no sockets here; give the client a transport, with ClientBuilder::transport",
    ))
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("options", &self.options)
            .field("credentials", &self.credentials)
            .field("schemes", &self.schemes)
            .field("any_scheme", &self.any_scheme)
            .field("interceptors", &self.interceptors.len())
            .finish_non_exhaustive()
    }
}
