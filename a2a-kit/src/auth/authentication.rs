//! What the requirements of a card make of credentials.
//!
//! Comes in: the head of a request. Goes out: the caller, if one of the card's requirements is met:
//! all of its schemes, each with its scopes. Else the error: 401 (gRPC: UNAUTHENTICATED) with
//! challenges, 403 (PERMISSION_DENIED) when only scopes are missing, 503 (UNAVAILABLE) when nobody
//! can say. Every refusal is an event of `tracing`, without credentials.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderName;
use http::request::Parts;

use super::challenge::Challenge;
use super::{AuthenticationBuilder, ErasedAuthenticator, Rejection, RequestHead, mark_secret};
use crate::context::Caller;
use crate::error::{Code, Error};
use crate::v1_0::{AgentCard, SecurityRequirement, SecurityScheme};

/// JSON-RPC's code for refused credentials and missing scopes: the specification has none, so it is
/// one of those that are left to servers. The HTTP status tells the two apart.
const JSON_RPC_CODE: i32 = -32000;
/// When to ask again whether credentials hold, after nobody could say.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// As much of a path as the log should repeat.
const LONGEST_PATH: usize = 200;

/// Says who calls, by the requirements of an agent card. Cheap to clone.
///
/// A requirement is met when the credentials of all of its schemes hold and have its scopes; one
/// that is met is enough. They are tried in the card's order. Where the card requires nothing, or
/// has a requirement without schemes, callers without credentials are let in as anonymous ones;
/// credentials that hold for no scheme are refused there as well.
///
/// Requirements of single skills are not looked at: which skill a message is for, only the agent
/// knows. So what else a caller shows is checked as well, and counts if it holds; an agent of skills
/// asks for it. Others find the caller's scopes in the context of the call.
#[derive(Clone)]
pub struct Authentication(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) realm: String,
    pub(super) schemes: BTreeMap<String, SecurityScheme>,
    pub(super) requirements: Vec<SecurityRequirement>,
    pub(super) ways: Vec<Way>,
    /// What is enough; none of them is empty.
    pub(super) alternatives: Vec<Alternative>,
    /// True when callers without credentials are let in.
    pub(super) is_open: bool,
    pub(super) secret_headers: Vec<HeaderName>,
}

/// A security scheme and what checks it.
pub(super) struct Way {
    pub(super) name: String,
    /// It checks whatever scheme a caller comes with, and does not tell which.
    pub(super) is_any: bool,
    pub(super) challenge: Challenge,
    pub(super) authenticator: Arc<dyn ErasedAuthenticator>,
}

/// Credentials that are enough together.
pub(super) struct Alternative(pub(super) Vec<Need>);

pub(super) struct Need {
    pub(super) way: usize,
    pub(super) scopes: Vec<String>,
}

/// What became of each way; `None` when it has not been asked.
type Asked = Vec<Option<Result<Option<Caller>, Rejection>>>;

/// Why a call is not let in.
enum Refusal {
    /// Who it is, and which scopes are missing from which way.
    Scopes(Caller, Vec<(usize, Vec<String>)>),
    Unavailable(String),
    /// What is wrong with credentials that are there; `None` when there are none.
    Credentials(Option<String>),
}

impl Authentication {
    /// Begins with a card; the authenticators of its schemes follow.
    pub fn for_card(card: &AgentCard) -> AuthenticationBuilder {
        AuthenticationBuilder::new(card)
    }

    /// Says who has sent a request, and puts the [`Caller`] into its extensions, in place of any
    /// that was there. Headers that hold credentials are marked as sensitive.
    ///
    /// Routers do this themselves; it is here for other handlers behind the same credentials.
    ///
    /// # Errors
    /// Unauthenticated, with challenges, when credentials are missing or wrong; permission denied
    /// when scopes are missing; unavailable when nobody can say at the moment.
    pub async fn authenticate(&self, request: &mut Parts) -> Result<Caller, Error> {
        self.check(request, |_, _| Ok(())).await
    }

    pub(super) async fn check(
        &self,
        request: &mut Parts,
        count_refused: impl FnOnce(&Caller, &Parts) -> Result<(), Error>,
    ) -> Result<Caller, Error> {
        let mut asked = Asked::new();
        asked.resize_with(self.0.ways.len(), || None);
        let decision = self.0.decide(RequestHead::new(request), &mut asked).await;
        mark_secret(&mut request.headers, &self.0.secret_headers);
        match decision {
            Ok(caller) => {
                request.extensions.insert(caller.clone());
                Ok(caller)
            }
            Err(refusal) => {
                request.extensions.remove::<Caller>();
                let known = match &refusal {
                    Refusal::Scopes(caller, _) => caller,
                    Refusal::Unavailable(_) | Refusal::Credentials(_) => &Caller::anonymous(),
                };
                count_refused(known, request)?;
                self.0.log(request, &refusal);
                Err(self.0.error(&refusal, &asked))
            }
        }
    }

    /// The headers that answers depend on, since credentials come in them.
    pub(crate) fn secret_headers(&self) -> &[HeaderName] {
        &self.0.secret_headers
    }

    /// How to ask for credentials of any scheme that the card has.
    pub(crate) fn all_challenges(&self) -> Vec<String> {
        let ways = self.0.ways.iter();
        ways.filter(|way| self.0.schemes.contains_key(&way.name))
            .map(|way| way.challenge.text(&self.0.realm, &[], None))
            .collect()
    }

    /// True when it was made for the schemes and requirements of this card.
    pub(crate) fn is_for(&self, card: &AgentCard) -> bool {
        self.0.schemes == card.security_schemes && self.0.requirements == card.security_requirements
    }
}

impl Inner {
    async fn decide(&self, head: RequestHead<'_>, asked: &mut Asked) -> Result<Caller, Refusal> {
        let mut missing = None;
        for Alternative(needs) in &self.alternatives {
            let mut callers = Vec::with_capacity(needs.len());
            for need in needs {
                match self.ask(need.way, head, asked).await {
                    Ok(Some(caller)) => callers.push(caller.clone()),
                    _ => break,
                }
            }
            if callers.len() < needs.len() {
                continue;
            }
            let lacks: Vec<(usize, Vec<String>)> = needs
                .iter()
                .zip(&callers)
                .map(|(need, caller)| {
                    let scopes = need.scopes.iter();
                    let lacks = scopes.filter(|scope| !caller.has_scope(scope));
                    (need.way, lacks.cloned().collect())
                })
                .filter(|(_, lacks): &(usize, Vec<String>)| !lacks.is_empty())
                .collect();
            let mut callers = callers.into_iter();
            let first = callers.next().unwrap_or_default();
            let mut caller = callers.fold(first, |caller, other| caller.and(&other));
            if lacks.is_empty() {
                let shown = |way| needs.iter().any(|need| need.way == way);
                for way in (0..self.ways.len()).filter(|way| !shown(*way)) {
                    if let Ok(Some(other)) = self.ask(way, head, asked).await {
                        caller = caller.and(other);
                    }
                }
                return Ok(caller);
            }
            missing.get_or_insert(Refusal::Scopes(caller, lacks));
        }
        if self.is_open {
            return self.identify(head, asked).await;
        }
        if let Some(missing) = missing {
            return Err(missing);
        }
        Err(self.fault(asked).unwrap_or(Refusal::Credentials(None)))
    }

    /// Where nobody has to say who they are: those who do are known, and must not lie. One scheme may
    /// refuse what is meant for another, such as the token of another issuer.
    async fn identify(&self, head: RequestHead<'_>, asked: &mut Asked) -> Result<Caller, Refusal> {
        for way in 0..self.ways.len() {
            // What came out is looked at when all of them have been asked.
            let _ = self.ask(way, head, asked).await;
        }
        let known = asked.iter().filter_map(|asked| match asked {
            Some(Ok(Some(caller))) => Some(caller.clone()),
            _ => None,
        });
        if let Some(caller) = known.reduce(|caller, other| caller.and(&other)) {
            return Ok(caller);
        }
        self.fault(asked)
            .map_or_else(|| Ok(Caller::anonymous()), Err)
    }

    /// Asks an authenticator, once.
    async fn ask<'a>(
        &self,
        way: usize,
        head: RequestHead<'_>,
        asked: &'a mut Asked,
    ) -> &'a Result<Option<Caller>, Rejection> {
        let answer = match asked[way].take() {
            Some(answer) => answer,
            None => {
                let way = &self.ways[way];
                match way.authenticator.authenticate(head).await {
                    Ok(Some(caller)) if !way.is_any => Ok(Some(caller.shown(&way.name))),
                    answer => answer,
                }
            }
        };
        asked[way].insert(answer)
    }

    /// What is wrong with credentials that are there.
    fn fault(&self, asked: &Asked) -> Option<Refusal> {
        let rejections = || {
            let both = self.ways.iter().zip(asked);
            both.filter_map(|(way, asked)| match asked {
                Some(Err(rejection)) => Some((way, rejection)),
                _ => None,
            })
        };
        let text =
            |(way, rejection): (&Way, &Rejection)| format!("{}: {}", way.name, rejection.reason());
        if let Some(found) = rejections().find(|(_, rejection)| rejection.is_unavailable()) {
            return Some(Refusal::Unavailable(text(found)));
        }
        let faults: Vec<String> = rejections().map(text).collect();
        (!faults.is_empty()).then(|| Refusal::Credentials(Some(faults.join("; "))))
    }

    fn error(&self, refusal: &Refusal, asked: &Asked) -> Error {
        match refusal {
            Refusal::Unavailable(_) => Error::new(
                Code::Unavailable,
                "whether the credentials hold cannot be said at the moment; try again",
            )
            .with_retry_after(RETRY_AFTER),
            Refusal::Scopes(_, lacks) => {
                let all: Vec<&str> = lacks
                    .iter()
                    .flat_map(|(_, scopes)| scopes.iter().map(String::as_str))
                    .collect();
                let message = format!("the credentials lack the scopes {}", all.join(" "));
                let challenges = lacks.iter().map(|(way, scopes)| {
                    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
                    let error = Some("insufficient_scope");
                    self.ways[*way].challenge.text(&self.realm, &scopes, error)
                });
                Error::new(Code::PermissionDenied, message)
                    .with_json_rpc_code(JSON_RPC_CODE)
                    .with_challenges(challenges)
            }
            Refusal::Credentials(fault) => {
                let message = match fault {
                    Some(fault) => format!("the credentials do not hold: {fault}"),
                    None => format!(
                        "this agent asks for credentials: {}; its card says how",
                        self.wanted()
                    ),
                };
                Error::new(Code::Unauthenticated, message)
                    .with_json_rpc_code(JSON_RPC_CODE)
                    .with_challenges(self.challenges(asked))
            }
        }
    }

    /// The card's requirements in words.
    fn wanted(&self) -> String {
        let mut wanted = Vec::new();
        // What the card does not tell of is not told here either.
        for requirement in self
            .requirements
            .iter()
            .filter(|all| !all.schemes.is_empty())
        {
            let schemes = requirement.schemes.keys().cloned();
            wanted.push(schemes.collect::<Vec<_>>().join(" and "));
        }
        wanted.join(", or ")
    }

    /// How to ask for what would be enough, and for what was wrong: each scheme once.
    fn challenges(&self, asked: &Asked) -> Vec<String> {
        let is_declared = |way: usize| self.schemes.contains_key(&self.ways[way].name);
        let is_wrong = |way: usize| matches!(&asked[way], Some(Err(_)));
        let mut wanted: Vec<(usize, &[String])> = Vec::new();
        for need in self.alternatives.iter().flat_map(|needs| &needs.0) {
            if is_declared(need.way) && wanted.iter().all(|(way, _)| *way != need.way) {
                wanted.push((need.way, &need.scopes));
            }
        }
        let wrong = (0..self.ways.len()).filter(|way| is_wrong(*way));
        if wanted.is_empty() {
            wanted.extend(wrong.map(|way| (way, &[][..])));
        }
        let challenge = |(way, scopes): (usize, &[String])| {
            let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
            let error = is_wrong(way).then_some("invalid_token");
            self.ways[way].challenge.text(&self.realm, &scopes, error)
        };
        wanted.into_iter().map(challenge).collect()
    }

    fn log(&self, request: &Parts, refusal: &Refusal) {
        let (code, who, why) = match refusal {
            Refusal::Scopes(caller, lacks) => {
                let lacks = lacks
                    .iter()
                    .map(|(way, scopes)| format!("{}: {}", self.ways[*way].name, scopes.join(" ")));
                let why = format!(
                    "scopes are missing: {}",
                    lacks.collect::<Vec<_>>().join("; ")
                );
                (Code::PermissionDenied, caller.id(), why)
            }
            Refusal::Unavailable(why) => (Code::Unavailable, None, why.clone()),
            Refusal::Credentials(Some(why)) => (Code::Unauthenticated, None, why.clone()),
            Refusal::Credentials(None) => (
                Code::Unauthenticated,
                None,
                "there are no credentials".to_owned(),
            ),
        };
        // Not the query, which may hold a key.
        let path: String = request.uri.path().chars().take(LONGEST_PATH).collect();
        tracing::warn!(
            target: "a2a_kit::auth",
            code = code.name(),
            caller = who.unwrap_or_default(),
            peer = ?RequestHead::new(request).peer(),
            method = %request.method,
            path,
            why,
            "a call was refused"
        );
    }
}

impl fmt::Debug for Authentication {
    /// Names of schemes; authenticators hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.ways.iter().map(|way| way.name.as_str()).collect();
        f.debug_struct("Authentication")
            .field("schemes", &names)
            .field("is_open", &self.0.is_open)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
