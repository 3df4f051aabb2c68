//! Which requirement of a card a client meets.
//!
//! Comes in: what each scheme of the card gets, an origin, a skill. Goes out: what a request carries:
//! the schemes of the first requirement that can be met there; or what is missing from each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use a2a_wire::v1_0::security_scheme::Scheme;
use a2a_wire::v1_0::{AgentCard, SecurityRequirement, SecurityScheme};
use http::HeaderName;
use http::header::AUTHORIZATION;

use super::asks_for;
use crate::client::credentials::Place;
use crate::client::location::Origin;
use crate::client::token::Tokens;
use crate::client::transport::{TransportError, TransportErrorKind};

/// As many requirements as an error repeats.
const MOST_TOLD: usize = 8;

/// What a card asks for, and what there is for it.
#[derive(Default)]
pub(super) struct Security {
    pub(super) ways: BTreeMap<String, Arc<Way>>,
    card: Vec<SecurityRequirement>,
    skills: BTreeMap<String, Vec<SecurityRequirement>>,
}

/// A scheme of the card.
pub(super) struct Way {
    pub(super) scheme: SecurityScheme,
    /// What it gets, or why nothing.
    pub(super) given: Result<Grant, String>,
    /// To whom that goes.
    pub(super) origins: Vec<Origin>,
}

/// What a request carries for a scheme.
#[derive(Clone)]
pub(in crate::client) struct Grant {
    pub(in crate::client) scheme: Arc<str>,
    pub(in crate::client) secret: Granted,
    pub(in crate::client) scopes: BTreeSet<String>,
}

/// See [`Grant`].
#[derive(Clone)]
pub(in crate::client) enum Granted {
    /// The same in every request; `None` when it is not in the request at all.
    Fixed(Option<Place>),
    /// A token, in `Authorization`.
    Tokens(Arc<Tokens>),
}

impl Grant {
    fn new(scheme: &str, secret: Granted) -> Self {
        Self {
            scheme: scheme.into(),
            secret,
            scopes: BTreeSet::new(),
        }
    }

    pub(super) fn fixed(scheme: &str, place: Option<Place>) -> Self {
        Self::new(scheme, Granted::Fixed(place))
    }

    pub(super) fn tokens(scheme: &str, tokens: Arc<Tokens>) -> Self {
        Self::new(scheme, Granted::Tokens(tokens))
    }

    /// Where no other secret can stand.
    fn exclusive(&self) -> Option<&str> {
        match &self.secret {
            Granted::Fixed(place) => place.as_ref()?.exclusive().map(HeaderName::as_str),
            Granted::Tokens(_) => Some("authorization"),
        }
    }
}

/// What is called.
pub(in crate::client) struct Wanted<'a> {
    pub(in crate::client) origin: Option<&'a Origin>,
    pub(in crate::client) skill: Option<&'a str>,
    /// True for headers that the call has, or gets, without a scheme.
    pub(in crate::client) has: &'a dyn Fn(&HeaderName) -> bool,
}

impl Security {
    pub(super) fn new(ways: BTreeMap<String, Arc<Way>>, card: &AgentCard) -> Self {
        let skills = card.skills.iter();
        let skills = skills.filter(|skill| !skill.security_requirements.is_empty());
        Self {
            ways,
            card: card.security_requirements.clone(),
            skills: skills
                .map(|skill| (skill.id.clone(), skill.security_requirements.clone()))
                .collect(),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.card.is_empty()
    }

    /// See [`Schemes::choose`](super::Schemes::choose). `unused` are names of credentials for which
    /// the card has no scheme.
    pub(super) fn choose(
        &self,
        wanted: &Wanted<'_>,
        unused: impl FnOnce() -> Vec<String>,
    ) -> Result<Vec<Grant>, TransportError> {
        let skill = wanted.skill.and_then(|skill| self.skills.get(skill));
        // The agent asks for both, since it looks at the card's before it knows the skill.
        let for_skill = match skill {
            None => Vec::new(),
            Some(all) => match self.first(all, wanted, &[]) {
                Some(grants) => grants,
                None => return Err(self.missing(all, wanted, &unused())),
            },
        };
        match self.first(&self.card, wanted, &for_skill) {
            Some(grants) => Ok(grants),
            None => Err(self.missing(&self.card, wanted, &unused())),
        }
    }

    /// What meets the first requirement that can be met, together with what is granted already: one
    /// that needs nothing more, if there is one.
    fn first(
        &self,
        requirements: &[SecurityRequirement],
        wanted: &Wanted<'_>,
        granted: &[Grant],
    ) -> Option<Vec<Grant>> {
        if requirements.is_empty() {
            return Some(granted.to_vec());
        }
        let is_granted = |name: &String| granted.iter().any(|grant| *grant.scheme == **name);
        let covered = requirements.iter().filter(|requirement| {
            !granted.is_empty()
                && !requirement.schemes.is_empty()
                && requirement.schemes.keys().all(is_granted)
        });
        covered
            .chain(requirements)
            .find_map(|requirement| self.met(requirement, wanted, granted).ok())
    }

    /// What meets a requirement, or for each of its schemes why it does not.
    fn met(
        &self,
        requirement: &SecurityRequirement,
        wanted: &Wanted<'_>,
        granted: &[Grant],
    ) -> Result<Vec<Grant>, Vec<String>> {
        let mut grants = granted.to_vec();
        let mut faults = Vec::new();
        for (name, scopes) in &requirement.schemes {
            match self.grant(name, wanted) {
                // It was given in another way.
                Err(_) if self.is_there(name, wanted) => {}
                Err(fault) => faults.push(fault),
                Ok(mut grant) => {
                    grant.scopes = scopes.list.iter().cloned().collect();
                    match grants.iter_mut().find(|known| known.scheme == grant.scheme) {
                        Some(known) => known.scopes.append(&mut grant.scopes),
                        None => grants.push(grant),
                    }
                }
            }
        }
        let mut headers = BTreeSet::new();
        for place in grants.iter().filter_map(Grant::exclusive) {
            if !headers.insert(place) {
                faults.push(format!(
                    "two secrets would have to stand in one header, {place}"
                ));
            }
        }
        if faults.is_empty() {
            Ok(grants)
        } else {
            Err(faults)
        }
    }

    /// True when the header in which a scheme has its secret is there already.
    fn is_there(&self, name: &str, wanted: &Wanted<'_>) -> bool {
        let scheme = self
            .ways
            .get(name)
            .and_then(|way| way.scheme.scheme.as_ref());
        let header = match scheme {
            Some(Scheme::ApiKeySecurityScheme(key)) if key.location == "header" => {
                HeaderName::try_from(&key.name).ok()
            }
            Some(
                Scheme::HttpAuthSecurityScheme(_)
                | Scheme::Oauth2SecurityScheme(_)
                | Scheme::OpenIdConnectSecurityScheme(_),
            ) => Some(AUTHORIZATION),
            _ => None,
        };
        header.is_some_and(|header| (wanted.has)(&header))
    }

    fn grant(&self, name: &str, wanted: &Wanted<'_>) -> Result<Grant, String> {
        let short: String = name.chars().take(64).collect();
        let way = self.ways.get(name);
        let asked = asks_for(way.map(|way| &way.scheme));
        let Some(way) = way else {
            return Err(format!("{short:?}, {asked}"));
        };
        let given = match &way.given {
            Ok(given) => given,
            Err(why) => return Err(format!("{short:?} ({asked}): {why}")),
        };
        if wanted
            .origin
            .is_none_or(|origin| !way.origins.contains(origin))
        {
            let origins: Vec<String> = way.origins.iter().map(Origin::to_string).collect();
            let called = wanted.origin.map_or_else(String::new, Origin::to_string);
            return Err(format!(
                "{short:?} ({asked}): it is for {}, and the interface is at {called}; SchemeCredentials::for_origin gives it more",
                origins.join(" and ")
            ));
        }
        Ok(given.clone())
    }

    fn missing(
        &self,
        requirements: &[SecurityRequirement],
        wanted: &Wanted<'_>,
        unused: &[String],
    ) -> TransportError {
        let told = requirements.iter().take(MOST_TOLD).map(|requirement| {
            let faults = self.met(requirement, wanted, &[]).err().unwrap_or_default();
            faults.join(", and ")
        });
        let mut told: Vec<String> = told.collect();
        if requirements.len() > MOST_TOLD {
            told.push(format!("{} more", requirements.len() - MOST_TOLD));
        }
        let mut message = format!(
            "the agent asks for credentials that this client does not have, and was not called; missing is {}. ClientBuilder::scheme gives credentials by the name of the scheme",
            told.join("; or ")
        );
        if !unused.is_empty() {
            message.push_str(&format!(
                " (there are some for {}, of which the card does not know)",
                unused.join(", ")
            ));
        }
        TransportError::new(TransportErrorKind::Credentials, message).unsent()
    }
}
