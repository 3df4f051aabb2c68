//! The credentials of a client, as a card has use for them.
//!
//! Comes in: credentials, once; each card that the client goes by. Goes out: for each scheme of the
//! card what it gets, or why it gets nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use a2a_wire::v1_0::security_scheme::Scheme;
use a2a_wire::v1_0::{AgentCard, SecurityScheme};
use http::HeaderName;

use super::choice::{Grant, Security, Wanted, Way};
use super::{Given, Kind, SchemeCredentials, asks_for};
use crate::client::credentials::{Place, Secret};
use crate::client::headers::is_ours;
use crate::client::location::Origin;
use crate::client::token::Tokens;
use crate::client::transport::{Transport, TransportError};
use crate::error::{Code, Error};

/// See the module.
pub(in crate::client) struct Schemes {
    named: BTreeMap<String, Bound>,
    any: Vec<Bound>,
    transport: Arc<dyn Transport>,
    home: Option<Origin>,
    security: RwLock<Arc<Security>>,
}

/// Credentials that know whom they go to.
struct Bound {
    credentials: SchemeCredentials,
    origins: Vec<Origin>,
}

impl Schemes {
    /// `home` is whom credentials are for that do not say so; tokens are fetched by `transport`.
    ///
    /// # Errors
    /// When credentials say nobody whom they are for.
    pub(in crate::client) fn new(
        named: Vec<(String, SchemeCredentials)>,
        any: Vec<SchemeCredentials>,
        transport: Arc<dyn Transport>,
        home: Option<Origin>,
    ) -> Result<Self, Error> {
        let bind = |credentials: SchemeCredentials| -> Result<Bound, Error> {
            let mut origins: Vec<Origin> = credentials
                .origins
                .iter()
                .cloned()
                .collect::<Result<_, _>>()?;
            if origins.is_empty() {
                let home = home.clone().ok_or_else(nobody)?;
                origins.push(home);
            }
            Ok(Bound {
                credentials,
                origins,
            })
        };
        let named = named
            .into_iter()
            .map(|(name, credentials)| Ok((name, bind(credentials)?)))
            .collect::<Result<_, Error>>()?;
        let any = any.into_iter().map(bind).collect::<Result<_, Error>>()?;
        Ok(Self {
            named,
            any,
            transport,
            home,
            security: RwLock::default(),
        })
    }

    /// Goes by a card. Schemes that are what they were keep their tokens.
    pub(in crate::client) fn go_by(&self, card: &AgentCard) {
        let mut security = self
            .security
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let ways = card
            .security_schemes
            .iter()
            .map(|(name, scheme)| {
                let known = security.ways.get(name).filter(|way| way.scheme == *scheme);
                let way = match known {
                    Some(way) => Arc::clone(way),
                    None => Arc::new(self.way(name, scheme)),
                };
                (name.clone(), way)
            })
            .collect();
        *security = Arc::new(Security::new(ways, card));
    }

    fn security(&self) -> Arc<Security> {
        let security = self.security.read();
        Arc::clone(&security.unwrap_or_else(PoisonError::into_inner))
    }

    /// What a request is to carry, besides what it has.
    ///
    /// # Errors
    /// When the card asks for more than there is: which, and what is missing.
    pub(in crate::client) fn choose(
        &self,
        wanted: &Wanted<'_>,
    ) -> Result<Vec<Grant>, TransportError> {
        let unused = || {
            let security = self.security();
            let unknown = self
                .named
                .keys()
                .filter(|name| !security.ways.contains_key(*name));
            unknown.cloned().collect::<Vec<_>>()
        };
        self.security().choose(wanted, unused)
    }

    /// True when the card asks for nothing.
    pub(in crate::client) fn are_not_asked_for(&self) -> bool {
        self.security().is_open()
    }

    /// What a scheme of the card gets.
    fn way(&self, name: &str, scheme: &SecurityScheme) -> Way {
        let bound = self.named.get(name).or_else(|| {
            let kind = scheme.scheme.as_ref()?;
            self.any.iter().find(|bound| bound.credentials.fits(kind))
        });
        let given = match bound {
            None => Err("there is none".to_owned()),
            Some(bound) => self.given(&bound.credentials, scheme),
        };
        let given = given.map(|given| match given {
            Given::Place(place) => Grant::fixed(name, Some(place)),
            Given::Nothing => Grant::fixed(name, None),
            Given::Source(source) => {
                let transport = Arc::clone(&self.transport);
                Grant::tokens(name, Tokens::new(name, source, transport))
            }
        });
        Way {
            scheme: scheme.clone(),
            given,
            origins: bound.map(|bound| bound.origins.clone()).unwrap_or_default(),
        }
    }

    fn given(
        &self,
        credentials: &SchemeCredentials,
        scheme: &SecurityScheme,
    ) -> Result<Given, String> {
        let Some(kind) = scheme.scheme.as_ref() else {
            return Err("this client does not know how it is used".to_owned());
        };
        if !credentials.fits(kind) {
            return Err(format!(
                "there is {}, and it asks for {}",
                credentials.name(),
                asks_for(Some(scheme))
            ));
        }
        let place = match (&credentials.kind, kind) {
            (Kind::Key(key), Scheme::ApiKeySecurityScheme(scheme)) => {
                match scheme.location.as_str() {
                    "header" => key_in_header(&scheme.name, key),
                    "query" => Ok(Place::key_in_query(&scheme.name, key.text())),
                    "cookie" => Place::key_in_cookie(&scheme.name, key.text()),
                    other => Err(format!(
                        "the card wants it in {other:?}, which is none of header, query and cookie"
                    )),
                }
            }
            (Kind::Basic(pair), _) => match pair {
                Ok(pair) => Place::authorization("Basic", pair.text(), "the basic credentials"),
                Err(fault) => Err(fault.clone()),
            },
            (Kind::Bearer(token), _) => {
                Place::authorization("Bearer", token.text(), "the bearer token")
            }
            (Kind::Http(rest), Scheme::HttpAuthSecurityScheme(http)) => {
                Place::authorization(&http.scheme, rest.text(), "the value for Authorization")
            }
            (Kind::Tokens(source), _) => return Ok(Given::Source(Arc::clone(source))),
            #[cfg(feature = "oauth2")]
            (Kind::OAuth(client), kind) => {
                let source = client.source(kind, self.home.as_ref(), &self.transport)?;
                return Ok(Given::Source(Arc::new(source)));
            }
            (Kind::Certificate, _) => return Ok(Given::Nothing),
            // What does not fit was refused above.
            (Kind::Key(_) | Kind::Http(_), _) => Err("it does not fit".to_owned()),
        };
        place.map(Given::Place)
    }
}

/// A card must not put a key where it means something else.
fn key_in_header(name: &str, key: &Secret) -> Result<Place, String> {
    match HeaderName::try_from(name) {
        Ok(header) if is_ours(&header) => Err(format!(
            "the card wants it in the header {header}, which says something else about a request"
        )),
        _ => Place::key_in_header(name, key.text()),
    }
}

fn nobody() -> Error {
    Error::new(
        Code::InvalidArgument,
        "credentials for security schemes: nobody knows yet whom they are for; say so with SchemeCredentials::for_origin, or with ClientBuilder::base_url",
    )
}

impl fmt::Debug for Schemes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schemes")
            .field("named", &self.named.keys().collect::<Vec<_>>())
            .field("any", &self.any.len())
            .field("home", &self.home.as_ref().map(Origin::to_string))
            .finish_non_exhaustive()
    }
}
