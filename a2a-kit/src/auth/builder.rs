//! Puts an [`Authentication`] together.
//!
//! Comes in: an agent card, an authenticator for each of its schemes. Goes out: an
//! [`Authentication`] that keeps what the card promises, or all that is in the way of that.

use std::sync::Arc;

use a2a_wire::__codegen::Violation;
use http::HeaderName;

use super::authentication::{Alternative, Inner, Need, Way};
use super::challenge::Challenge;
use super::{Authentication, Authenticator, ErasedAuthenticator, SECRET_HEADERS};
use crate::error::Error;
use crate::v1_0::{AgentCard, SecurityScheme};

/// Makes an [`Authentication`]: see [`Authentication::for_card`].
#[must_use]
pub struct AuthenticationBuilder {
    card: AgentCard,
    ways: Vec<Named>,
    others: Option<Arc<dyn Checked>>,
    allow_undeclared: bool,
}

struct Named {
    name: String,
    is_any: bool,
    authenticator: Arc<dyn Checked>,
}

/// An authenticator that can say what it works for.
trait Checked: ErasedAuthenticator {
    fn check(&self, scheme: Option<&SecurityScheme>) -> Result<(), String>;
    fn secret_headers(&self) -> Vec<HeaderName>;
    fn erased(self: Arc<Self>) -> Arc<dyn ErasedAuthenticator>;
}

impl<A: Authenticator> Checked for A {
    fn check(&self, scheme: Option<&SecurityScheme>) -> Result<(), String> {
        Authenticator::check(self, scheme)
    }

    fn secret_headers(&self) -> Vec<HeaderName> {
        Authenticator::secret_headers(self)
    }

    fn erased(self: Arc<Self>) -> Arc<dyn ErasedAuthenticator> {
        self
    }
}

impl AuthenticationBuilder {
    pub(super) fn new(card: &AgentCard) -> Self {
        Self {
            card: card.clone(),
            ways: Vec::new(),
            others: None,
            allow_undeclared: false,
        }
    }

    /// Checks the credentials of the scheme that the card's `securitySchemes` call so.
    ///
    /// Where a requirement asks for several schemes together, the caller's id is that of the scheme
    /// that was added first; scopes and claims are those of all of them.
    pub fn scheme(mut self, name: impl Into<String>, authenticator: impl Authenticator) -> Self {
        self.ways.push(Named {
            name: name.into(),
            is_any: false,
            authenticator: Arc::new(authenticator),
        });
        self
    }

    /// Checks the credentials of all schemes of the card's requirements that have no authenticator
    /// of their own: for what serves any scheme, such as
    /// [`TrustedProxy`](super::TrustedProxy) and [`CallerFromLayer`](super::CallerFromLayer).
    ///
    /// It does not tell which scheme was shown, so the requirements of single skills are held
    /// against the caller's scopes only.
    pub fn other_schemes(mut self, authenticator: impl Authenticator) -> Self {
        self.others = Some(Arc::new(authenticator));
        self
    }

    /// Takes authenticators under names that the card does not have. Their credentials alone let a
    /// caller in, besides what the card says: a way in that only those know who have been told.
    pub fn allow_undeclared(mut self) -> Self {
        self.allow_undeclared = true;
        self
    }

    /// Checks that the card's requirements can be met, and that the card tells of every
    /// authenticator.
    ///
    /// # Errors
    /// Invalid argument, with all that is wrong: a requirement without an authenticator, an
    /// authenticator without a scheme, one that does not fit its scheme or cannot work.
    pub fn build(self) -> Result<Authentication, Error> {
        let Self {
            card,
            ways: mut named,
            others,
            allow_undeclared,
        } = self;
        let mut faults = Vec::new();
        let mut fault = |field: String, description: String| {
            faults.push(Violation { field, description });
        };
        if let Some(others) = others {
            let mut is_used = false;
            for requirement in &card.security_requirements {
                for name in requirement.schemes.keys() {
                    if !named.iter().any(|way| way.name == *name) {
                        is_used = true;
                        named.push(Named {
                            name: name.clone(),
                            is_any: true,
                            authenticator: Arc::clone(&others),
                        });
                    }
                }
            }
            // Where nothing is required, it says who those are who say so themselves.
            if !is_used && card.security_requirements.is_empty() {
                for name in card.security_schemes.keys() {
                    if !named.iter().any(|way| way.name == *name) {
                        named.push(Named {
                            name: name.clone(),
                            is_any: true,
                            authenticator: Arc::clone(&others),
                        });
                    }
                }
            }
        }
        let mut ways = Vec::new();
        let mut secret_headers = SECRET_HEADERS.to_vec();
        for (
            index,
            Named {
                name,
                is_any,
                authenticator,
            },
        ) in named.into_iter().enumerate()
        {
            let field = || format!("securitySchemes.{name}");
            let scheme = card.security_schemes.get(&name);
            if scheme.is_none() && !allow_undeclared {
                fault(
                    field(),
                    "an authenticator checks it, but the card does not tell of it; add it to the card, or see AuthenticationBuilder::allow_undeclared".into(),
                );
            }
            if ways[..index].iter().any(|way: &Way| way.name == name) {
                fault(field(), "has two authenticators".into());
            }
            if let Err(why) = authenticator.check(scheme) {
                fault(field(), format!("its authenticator does not work: {why}"));
            }
            secret_headers.extend(authenticator.secret_headers());
            ways.push(Way {
                challenge: Challenge::of(&name, scheme),
                name,
                is_any,
                authenticator: authenticator.erased(),
            });
        }
        let mut alternatives = Vec::new();
        for (index, requirement) in card.security_requirements.iter().enumerate() {
            let mut needs = Vec::new();
            for (name, scopes) in &requirement.schemes {
                let field = || format!("securityRequirements[{index}].{name}");
                if !card.security_schemes.contains_key(name) {
                    fault(field(), "the card has no such security scheme".into());
                }
                match ways.iter().position(|way| way.name == *name) {
                    Some(way) => needs.push(Need {
                        way,
                        scopes: scopes.list.clone(),
                    }),
                    None => fault(
                        field(),
                        "no authenticator checks it, so nobody could meet this requirement; add one with AuthenticationBuilder::scheme".into(),
                    ),
                }
            }
            needs.sort_by_key(|need| need.way);
            alternatives.push(Alternative(needs));
        }
        for (way, known) in ways.iter().enumerate() {
            if !card.security_schemes.contains_key(&known.name) {
                alternatives.push(Alternative(vec![Need {
                    way,
                    scopes: Vec::new(),
                }]));
            }
        }
        if !faults.is_empty() {
            return Err(Error::invalid(faults));
        }
        let is_open = card.security_requirements.is_empty()
            || alternatives
                .iter()
                .any(|alternative| alternative.0.is_empty());
        alternatives.retain(|alternative| !alternative.0.is_empty());
        Ok(Authentication(Arc::new(Inner {
            realm: card.name.clone(),
            schemes: card.security_schemes,
            requirements: card.security_requirements,
            ways,
            alternatives,
            is_open,
            secret_headers,
        })))
    }
}
