//! Callers who are known, by API keys.
//!
//! Comes in: the names of callers, with scopes. Goes out: an agent whose card asks for a key, and
//! clients that have one.

use a2a_kit::Caller;
use a2a_kit::auth::{ApiKeys, Authentication};
use a2a_kit::v1_0::{
    AgentCard, ApiKeySecurityScheme, SecurityRequirement, SecurityScheme, StringList,
};

use crate::{Client, Setup, card};

/// A caller's name and scopes.
pub type Known<'a> = (&'a str, &'a [&'a str]);

/// The header that keys are in.
pub const HEADER: &str = "x-key";

/// The key of a caller.
#[must_use]
pub fn key(name: &str) -> String {
    format!("key-of-{name}")
}

/// Declares keys in a card; `open` lets in who has none, too.
pub fn declare(card: &mut AgentCard, open: bool) {
    let scheme = ApiKeySecurityScheme::new()
        .with_location("header")
        .with_name("X-Key");
    let scheme = SecurityScheme::new().with_api_key_security_scheme(scheme);
    card.security_schemes.insert("key".into(), scheme);
    let mut requirement = SecurityRequirement::new();
    requirement.schemes.insert("key".into(), StringList::new());
    card.security_requirements.push(requirement);
    if open {
        card.security_requirements.push(SecurityRequirement::new());
    }
}

impl Setup {
    /// Asks for keys, which these callers have.
    #[must_use]
    pub fn callers(self, known: &[Known<'_>]) -> Self {
        self.asking(known, false)
    }

    /// As [`Self::callers`]; who has no key is let in as nobody.
    #[must_use]
    pub fn callers_and_others(self, known: &[Known<'_>]) -> Self {
        self.asking(known, true)
    }

    fn asking(self, known: &[Known<'_>], open: bool) -> Self {
        let mut card = card::full();
        declare(&mut card, open);
        let keys = known.iter().fold(ApiKeys::header("X-Key"), |keys, one| {
            let (name, scopes) = *one;
            let caller = Caller::known(name).with_scopes(scopes.iter().copied());
            keys.key(key(name), caller)
        });
        let authentication = Authentication::for_card(&card)
            .scheme("key", keys)
            .build()
            .expect("keys are checked");
        self.card(move |card| declare(card, open))
            .server(|server| server.authentication(authentication))
    }
}

impl Client {
    /// Calls as this caller; as nobody, when there is no name.
    #[must_use]
    pub fn caller(self, name: &str) -> Self {
        let client = self.without_header(HEADER);
        match name {
            "" => client,
            name => client.header(HEADER, &key(name)),
        }
    }
}
