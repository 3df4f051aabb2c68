//! Bearer tokens that are JSON Web Tokens (RFC 7519), signed by an issuer whose keys are public.
//!
//! Comes in: the head of a request. Goes out: the subject of its token, with the token's scopes and
//! claims, if the signature, the issuer, the audience and the times hold. What a token says of
//! itself decides which of the issuer's keys it is held against, and never more: not which
//! algorithms are taken, and not where keys come from.

mod crypto;
mod keys;
mod source;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::Uri;
use jsonwebtoken::errors::{Error as JwtError, ErrorKind};
use jsonwebtoken::{Algorithm, Validation};
use serde_json::{Map, Value};

use self::keys::Keys;
use self::source::{Remote, Source, Timing};
use super::{Authenticator, Rejection, RequestHead};
use crate::client::{HttpTransport, Transport};
use crate::context::Caller;
use crate::v1_0::SecurityScheme;
use crate::v1_0::security_scheme::Scheme;

/// What a token may weigh.
const LONGEST_TOKEN: usize = 16 << 10;
/// How many keys are tried when a token names none.
const MOST_TRIED: usize = 8;

/// Callers who are known by a token: `Authorization: Bearer`, for the card's schemes of HTTP bearer,
/// OAuth 2 and OpenID Connect.
///
/// Issuer and audience must be said: a token that was made for somebody else is no credential here.
/// The caller's id is the claim `sub`; its scopes are those of `scope` (or `scp`), a text with spaces
/// or a list.
///
/// ```
/// use a2a_kit::auth::JwtBearer;
/// let tokens = JwtBearer::keys_at("https://login.example.com/.well-known/jwks.json")
///     .issuer("https://login.example.com/")
///     .audience("https://agent.example.com");
/// # let _ = tokens;
/// ```
///
/// Keys are fetched when the first token comes, and kept as long as the answer's `Cache-Control`
/// says, at least 30 seconds and at most a day. A token with a key that is not among them leads to
/// one more fetch, but never to more than one in ten seconds. When the address cannot be reached,
/// the keys from before are used for another hour. Redirects are not followed.
#[must_use]
pub struct JwtBearer {
    origin: Origin,
    transport: Arc<dyn Transport>,
    timing: Timing,
    issuers: Vec<String>,
    audiences: Vec<String>,
    algorithms: Vec<JwtAlgorithm>,
    leeway: Duration,
    id_claim: String,
    /// Made when the first token comes.
    source: OnceLock<Option<Source>>,
}

enum Origin {
    Address(String),
    Fixed(Result<Arc<Keys>, String>),
}

/// How a token is signed. No other algorithm is taken, and none at all least of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JwtAlgorithm {
    /// RSA PKCS #1 v1.5 with SHA-256, keys of at least 2048 bits.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

impl JwtAlgorithm {
    const ALL: [Self; 3] = [Self::Rs256, Self::Es256, Self::EdDsa];

    fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    fn algorithm(self) -> Algorithm {
        match self {
            Self::Rs256 => Algorithm::RS256,
            Self::Es256 => Algorithm::ES256,
            Self::EdDsa => Algorithm::EdDSA,
        }
    }
}

impl fmt::Display for JwtAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl JwtBearer {
    fn new(origin: Origin) -> Self {
        Self {
            origin,
            transport: Arc::new(HttpTransport::new()),
            timing: Timing {
                timeout: Duration::from_secs(5),
                interval: Duration::from_secs(10),
                grace: Duration::from_secs(3600),
            },
            issuers: Vec::new(),
            audiences: Vec::new(),
            algorithms: JwtAlgorithm::ALL.to_vec(),
            leeway: Duration::from_secs(30),
            id_claim: "sub".to_owned(),
            source: OnceLock::new(),
        }
    }

    /// Fetches the issuer's key set (JWKS, RFC 7517) from this address: `https`, or `http` on this
    /// machine.
    pub fn keys_at(url: impl Into<String>) -> Self {
        Self::new(Origin::Address(url.into()))
    }

    /// Takes these keys, a key set in JSON, and no others.
    pub fn fixed_keys(jwks: impl AsRef<[u8]>) -> Self {
        Self::new(Origin::Fixed(Keys::read(jwks.as_ref()).map(Arc::new)))
    }

    /// Whose tokens are taken: the claim `iss`. Several may be given, if they share their keys.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuers.push(issuer.into());
        self
    }

    /// For whom tokens must be made: the claim `aud` names one of those that are given here.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// How tokens may be signed: RS256, ES256 and EdDSA by default.
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = JwtAlgorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// How much the clocks may differ, in whole seconds and at most by a day: 30 seconds by default.
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway.min(Duration::from_secs(86_400));
        self
    }

    /// The claim that is the caller's id, `sub` by default. It must be one that the issuer gives to
    /// one caller only, and for ever; an e-mail address is not.
    pub fn id_claim(mut self, claim: impl Into<String>) -> Self {
        self.id_claim = claim.into();
        self
    }

    /// Fetches keys by this transport, in place of one over sockets with the usual settings.
    pub fn transport(mut self, transport: impl Transport) -> Self {
        self.transport = Arc::new(transport);
        self
    }

    /// How long a fetch of keys may take: 5 seconds by default.
    pub fn fetch_timeout(mut self, timeout: Duration) -> Self {
        self.timing.timeout = timeout;
        self
    }

    /// The least time between two fetches of keys: 10 seconds by default. A new key of the issuer is
    /// known after this time at the latest.
    pub fn fetch_interval(mut self, interval: Duration) -> Self {
        self.timing.interval = interval;
        self
    }

    /// How long keys are used after their time, when no others can be had: an hour by default. It is
    /// also how long a key that was taken back may go on to be believed then.
    pub fn stale_keys(mut self, grace: Duration) -> Self {
        self.timing.grace = grace;
        self
    }

    fn fault(&self) -> Result<(), String> {
        if self.issuers.is_empty() {
            return Err("it does not know whose tokens to take; see JwtBearer::issuer".into());
        }
        if self.audiences.is_empty() {
            return Err(
                "it does not know for whom tokens must be made; see JwtBearer::audience".into(),
            );
        }
        if self.algorithms.is_empty() {
            return Err("it takes no algorithm; see JwtBearer::algorithms".into());
        }
        match &self.origin {
            Origin::Fixed(Err(why)) => Err(format!("the keys cannot be read: {why}")),
            Origin::Fixed(Ok(_)) => Ok(()),
            Origin::Address(url) => address(url).map(|_| ()),
        }
    }
}

impl JwtBearer {
    /// Where keys come from; `None` when there is a fault, which is said before anything is served.
    fn source(&self) -> Option<&Source> {
        let source = self.source.get_or_init(|| match &self.origin {
            Origin::Fixed(keys) => keys
                .as_ref()
                .ok()
                .map(|keys| Source::Fixed(Arc::clone(keys))),
            Origin::Address(url) => {
                let url = address(url).ok()?;
                let remote = Remote::new(url, Arc::clone(&self.transport), self.timing);
                Some(Source::Remote(Arc::new(remote)))
            }
        });
        source.as_ref()
    }

    /// What a token must say of itself.
    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = self.leeway.as_secs();
        validation.validate_nbf = true;
        validation.set_issuer(&self.issuers);
        validation.set_audience(&self.audiences);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation
    }

    async fn claims(&self, token: &str) -> Result<Map<String, Value>, Rejection> {
        if token.len() > LONGEST_TOKEN {
            return Err(Rejection::invalid("the token is too long"));
        }
        let header = jsonwebtoken::decode_header(token)
            .map_err(|_| Rejection::invalid("it is no JSON Web Token of a kind that is taken"))?;
        let mut taken = self.algorithms.iter().map(|taken| taken.algorithm());
        if !taken.any(|taken| taken == header.alg) {
            let taken: Vec<&str> = self.algorithms.iter().map(|taken| taken.name()).collect();
            let taken = taken.join(", ");
            return Err(Rejection::invalid(format!(
                "only tokens of {taken} are taken"
            )));
        }
        let unavailable = || Rejection::unavailable("the keys of the issuer cannot be had");
        let source = self.source().ok_or_else(unavailable)?;
        let id = header.kid.as_deref();
        let is_there = |keys: &Keys| keys.find(header.alg, id).next().is_some();
        let keys = source.keys(is_there).await.map_err(|_| unavailable())?;
        let validation = self.validation(header.alg);
        let mut fault = Rejection::invalid("the token's key is none of the issuer's");
        for key in keys.find(header.alg, id).take(MOST_TRIED) {
            match jsonwebtoken::decode::<Map<String, Value>>(token, key, &validation) {
                Ok(token) => return self.in_time(token.claims),
                Err(error) if *error.kind() == ErrorKind::InvalidSignature => {
                    fault = Rejection::invalid("the token's signature is wrong");
                }
                Err(error) => return Err(rejection(&error)),
            }
        }
        Err(fault)
    }

    /// A token from the future is none, whatever it says of its beginning.
    fn in_time(&self, claims: Map<String, Value>) -> Result<Map<String, Value>, Rejection> {
        let latest = jsonwebtoken::get_current_timestamp() + self.leeway.as_secs();
        match claims.get("iat").map(Value::as_f64) {
            Some(None) => Err(Rejection::invalid("the token's claim iat is no number")),
            #[allow(
                clippy::cast_precision_loss,
                reason = "seconds, which are far from 2^53"
            )]
            Some(Some(issued)) if issued > latest as f64 => {
                Err(Rejection::invalid("the token was issued in the future"))
            }
            _ => Ok(claims),
        }
    }
}

/// Why a token whose signature is right is not taken.
fn rejection(error: &JwtError) -> Rejection {
    match error.kind() {
        ErrorKind::ExpiredSignature => Rejection::invalid("the token has expired"),
        ErrorKind::ImmatureSignature => Rejection::invalid("the token does not hold yet"),
        ErrorKind::InvalidIssuer => Rejection::invalid("the token is of another issuer"),
        ErrorKind::InvalidAudience => Rejection::invalid("the token is for another audience"),
        ErrorKind::MissingRequiredClaim(claim) => {
            Rejection::invalid(format!("the token has no claim {claim}"))
        }
        _ => Rejection::invalid("the token is malformed"),
    }
}

/// The address of a key set: who can change what is there can be anybody, so nobody on the way may.
fn address(url: &str) -> Result<Uri, String> {
    let uri: Uri = url
        .parse()
        .map_err(|_| format!("{url:?} is no address of keys"))?;
    let host = uri.host().unwrap_or_default();
    let is_here = host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    match uri.scheme_str() {
        Some("https") if !host.is_empty() => Ok(uri),
        Some("http") if is_here => Ok(uri),
        _ => Err(format!(
            "keys are fetched from https addresses (or http on this machine), not from {url:?}"
        )),
    }
}

impl Authenticator for JwtBearer {
    async fn authenticate(&self, head: RequestHead<'_>) -> Result<Option<Caller>, Rejection> {
        let Some(token) = head.authorization("Bearer")? else {
            return Ok(None);
        };
        let claims = self.claims(token).await?;
        let id = claims.get(&self.id_claim).and_then(Value::as_str);
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            let claim = &self.id_claim;
            return Err(Rejection::invalid(format!(
                "the token has no claim {claim}"
            )));
        };
        let caller = Caller::known(id).with_scopes(scopes(&claims));
        Ok(Some(caller.with_claims(claims)))
    }

    fn check(&self, scheme: Option<&SecurityScheme>) -> Result<(), String> {
        self.fault()?;
        crypto::install();
        match scheme.map(|scheme| &scheme.scheme) {
            None
            | Some(Some(
                Scheme::Oauth2SecurityScheme(_) | Scheme::OpenIdConnectSecurityScheme(_),
            )) => Ok(()),
            Some(Some(Scheme::HttpAuthSecurityScheme(declared)))
                if declared.scheme.eq_ignore_ascii_case("bearer") =>
            {
                Ok(())
            }
            Some(_) => Err("it checks bearer tokens, and the card's scheme is another one".into()),
        }
    }
}

/// The scopes of a token (RFC 8693, 4.2; `scp` as some issuers have it).
fn scopes(claims: &Map<String, Value>) -> Vec<String> {
    let claim = claims.get("scope").or_else(|| claims.get("scp"));
    match claim {
        Some(Value::String(text)) => text.split_ascii_whitespace().map(str::to_owned).collect(),
        Some(Value::Array(list)) => {
            let texts = list.iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
