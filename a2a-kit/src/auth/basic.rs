//! User and password, by `Authorization: Basic`.
//!
//! Comes in: the head of a request. Goes out: which user it is. Every user is compared with, in a
//! time that tells nothing of users and passwords.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::secret::Secret;
use super::{Authenticator, Rejection, RequestHead};
use crate::context::Caller;
use crate::v1_0::SecurityScheme;
use crate::v1_0::security_scheme::Scheme;

/// Users who are known by a password.
///
/// ```
/// use a2a_kit::Caller;
/// use a2a_kit::auth::BasicUsers;
/// let users = BasicUsers::new().user("alice", "a long password", Caller::known("alice"));
/// # let _ = users;
/// ```
///
/// The passwords themselves are in memory. Where they are kept as hashes, write an
/// [`Authenticator`] that compares those.
#[derive(Default)]
pub struct BasicUsers(Vec<(Secret, Secret, Caller)>);

impl BasicUsers {
    /// Nobody, to begin with.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a user, the password, and who that is.
    #[must_use]
    pub fn user(
        mut self,
        name: impl Into<String>,
        password: impl Into<String>,
        caller: Caller,
    ) -> Self {
        let (name, password) = (Secret::new(name.into()), Secret::new(password.into()));
        self.0.push((name, password, caller));
        self
    }
}

impl Authenticator for BasicUsers {
    async fn authenticate(&self, head: RequestHead<'_>) -> Result<Option<Caller>, Rejection> {
        let Some(credentials) = head.authorization("Basic")? else {
            return Ok(None);
        };
        let decoded = STANDARD.decode(credentials).map(Zeroizing::new);
        let Ok(decoded) = decoded else {
            return Err(Rejection::invalid("the Basic credentials are no base64"));
        };
        let Some(colon) = decoded.iter().position(|byte| *byte == b':') else {
            return Err(Rejection::invalid("the Basic credentials have no colon"));
        };
        let (name, password) = (&decoded[..colon], &decoded[colon + 1..]);
        let mut found = None;
        for (known, secret, caller) in &self.0 {
            if bool::from(known.is(name) & secret.is(password)) {
                found = Some(caller);
            }
        }
        match found {
            Some(caller) => Ok(Some(caller.clone())),
            None => Err(Rejection::invalid("user or password is wrong")),
        }
    }

    fn check(&self, scheme: Option<&SecurityScheme>) -> Result<(), String> {
        if self.0.is_empty() {
            return Err("no user is known to it; add one with BasicUsers::user".into());
        }
        let is_empty =
            |(name, password, _): &(Secret, Secret, Caller)| name.is_empty() || password.is_empty();
        if self.0.iter().any(is_empty) {
            return Err("one of its users has no name or no password".into());
        }
        match scheme.map(|scheme| &scheme.scheme) {
            None => Ok(()),
            Some(Some(Scheme::HttpAuthSecurityScheme(declared)))
                if declared.scheme.eq_ignore_ascii_case("basic") =>
            {
                Ok(())
            }
            Some(_) => Err("it checks HTTP Basic, and the card's scheme is another one".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ask, head};
    use super::*;
    use crate::v1_0::HttpAuthSecurityScheme;

    #[tokio::test]
    async fn user_and_password_say_who_calls() {
        let users = BasicUsers::new()
            .user("alice", "pa:ss wörd", Caller::known("a"))
            .user("bob", "secret", Caller::known("b"));
        let asked = |text: &str| {
            let value = format!("Basic {}", STANDARD.encode(text));
            head("/", &[("authorization", &value)])
        };
        for (text, id) in [("alice:pa:ss wörd", "a"), ("bob:secret", "b")] {
            let caller = ask(&users, &asked(text)).await.unwrap().unwrap();
            assert_eq!(caller.id(), Some(id));
        }
        for text in [
            "alice:secret",
            "bob:",
            "bob:secre",
            "Bob:secret",
            ":secret",
            "bob",
            ":",
            "",
        ] {
            assert!(ask(&users, &asked(text)).await.is_err(), "{text}");
        }
        let garbage = head("/", &[("authorization", "Basic !!!")]);
        assert!(ask(&users, &garbage).await.is_err());
        let other = head("/", &[("authorization", "Bearer abc")]);
        assert_eq!(ask(&users, &other).await, Ok(None));
        assert_eq!(ask(&users, &head("/", &[])).await, Ok(None));
    }

    #[test]
    fn what_cannot_work_is_said_before_anything_is_served() {
        let http = |name: &str| {
            let scheme = HttpAuthSecurityScheme::new().with_scheme(name);
            SecurityScheme::new().with_http_auth_security_scheme(scheme)
        };
        let users = || BasicUsers::new().user("a", "b", Caller::known("a"));
        assert_eq!(users().check(Some(&http("Basic"))), Ok(()));
        assert!(users().check(Some(&http("bearer"))).is_err());
        assert!(users().check(Some(&SecurityScheme::new())).is_err());
        assert!(BasicUsers::new().check(Some(&http("basic"))).is_err());
        assert!(
            users()
                .user("c", "", Caller::known("c"))
                .check(Some(&http("basic")))
                .is_err()
        );
    }
}
