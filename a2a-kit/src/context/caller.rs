//! Who calls.
//!
//! Comes in: what an authenticator has found out. Goes out: the same to services and agents, an id
//! and what goes with it. It never holds a credential.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// Who calls: nobody who is known, or an id with the scopes and claims that were proven with it.
/// Cheap to clone.
///
/// Ids of all authenticators of an agent are one space of names: whoever is known as `alice` by one
/// of them is the same caller as `alice` of another.
///
/// ```
/// use a2a_kit::Caller;
/// let caller = Caller::known("alice").with_scopes(["tasks.read"]);
/// assert_eq!(caller.id(), Some("alice"));
/// assert!(caller.has_scope("tasks.read") && !caller.has_scope("tasks.write"));
/// assert_eq!(Caller::anonymous().id(), None);
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Caller(Option<Arc<Identity>>);

#[derive(Clone)]
struct Identity {
    id: Arc<str>,
    scopes: BTreeSet<String>,
    claims: Map<String, Value>,
    /// The names of the security schemes whose credentials the caller has shown; `None` when that is
    /// not known, as of callers that a layer in front has made.
    schemes: Option<BTreeSet<String>>,
}

/// Who it is, not how that was shown: nobody else can make a caller with schemes to compare with.
impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        (&self.id, &self.scopes, &self.claims) == (&other.id, &other.scopes, &other.claims)
    }
}

impl Eq for Identity {}

impl Caller {
    /// A caller who has not been authenticated.
    #[must_use]
    pub const fn anonymous() -> Self {
        Self(None)
    }

    /// A caller who is known by this id.
    #[must_use]
    pub fn known(id: impl Into<Arc<str>>) -> Self {
        Self(Some(Arc::new(Identity {
            id: id.into(),
            scopes: BTreeSet::new(),
            claims: Map::new(),
            schemes: None,
        })))
    }

    /// Adds scopes: what the caller may do, in the words of who gave the credentials. An anonymous
    /// caller has none.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        if let Some(identity) = &mut self.0 {
            Arc::make_mut(identity)
                .scopes
                .extend(scopes.into_iter().map(Into::into));
        }
        self
    }

    /// Adds claims: what else is known of the caller. One that is there already stays. An anonymous
    /// caller has none.
    #[must_use]
    pub fn with_claims(mut self, claims: Map<String, Value>) -> Self {
        if let Some(identity) = &mut self.0 {
            let known = &mut Arc::make_mut(identity).claims;
            for (name, value) in claims {
                known.entry(name).or_insert(value);
            }
        }
        self
    }

    /// The id; `None` for an anonymous caller.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.0.as_ref().map(|identity| &*identity.id)
    }

    /// The id, shared.
    #[cfg(feature = "server")]
    pub(crate) fn shared_id(&self) -> Option<Arc<str>> {
        self.0.as_ref().map(|identity| Arc::clone(&identity.id))
    }

    /// The scopes, sorted.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        let scopes = self.0.iter().flat_map(|identity| &identity.scopes);
        scopes.map(String::as_str)
    }

    /// True when the caller has this scope.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        self.0
            .as_ref()
            .is_some_and(|identity| identity.scopes.contains(scope))
    }

    /// What else is known of the caller, for example the claims of a token; `None` when nothing of
    /// this name is.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.claims.get(name)
    }

    /// All claims.
    pub fn claims(&self) -> impl Iterator<Item = (&str, &Value)> {
        let claims = self.0.iter().flat_map(|identity| &identity.claims);
        claims.map(|(name, value)| (name.as_str(), value))
    }

    /// Notes that the credentials of this security scheme have been shown. An anonymous caller has
    /// shown none.
    #[cfg(feature = "server")]
    pub(crate) fn shown(mut self, scheme: &str) -> Self {
        if let Some(identity) = &mut self.0 {
            let schemes = &mut Arc::make_mut(identity).schemes;
            schemes.get_or_insert_default().insert(scheme.to_owned());
        }
        self
    }

    /// True when the credentials of this security scheme have been shown, or when nobody can tell.
    #[cfg(feature = "macros")]
    pub(crate) fn has_shown(&self, scheme: &str) -> bool {
        self.0.as_ref().is_some_and(|identity| {
            let schemes = identity.schemes.as_ref();
            schemes.is_none_or(|schemes| schemes.contains(scheme))
        })
    }

    /// One caller of what several credentials say together: the id is this one's, scopes, claims and
    /// schemes are those of both.
    #[cfg(feature = "server")]
    pub(crate) fn and(self, other: &Self) -> Self {
        let Some(others) = &other.0 else { return self };
        let mut both = self
            .with_scopes(others.scopes.iter().cloned())
            .with_claims(others.claims.clone());
        if let Some(identity) = &mut both.0 {
            let identity = Arc::make_mut(identity);
            identity.schemes = match (identity.schemes.take(), &others.schemes) {
                (Some(schemes), Some(others)) => Some(&schemes | others),
                _ => None,
            };
        }
        both
    }
}

impl fmt::Debug for Caller {
    /// Of claims, only the names: their values may be personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(identity) = &self.0 else {
            return f.write_str("Caller(anonymous)");
        };
        f.debug_struct("Caller")
            .field("id", &identity.id)
            .field("scopes", &identity.scopes)
            .field("schemes", &identity.schemes)
            .field("claims", &identity.claims.keys().collect::<Vec<_>>())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scopes_and_claims_belong_to_known_callers_only() {
        let claims = json!({"tenant": "acme"}).as_object().unwrap().clone();
        let nobody = Caller::anonymous()
            .with_scopes(["all"])
            .with_claims(claims.clone());
        assert_eq!(nobody, Caller::anonymous());
        assert_eq!(nobody.scopes().count() + nobody.claims().count(), 0);
        let somebody = Caller::known("a")
            .with_scopes(["y", "x"])
            .with_claims(claims);
        assert_eq!(somebody.scopes().collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(somebody.claim("tenant"), Some(&json!("acme")));
        assert_eq!(somebody.claim("other"), None);
    }

    #[test]
    fn debug_names_claims_without_their_values() {
        let claims = json!({"email": "a@example.com"})
            .as_object()
            .unwrap()
            .clone();
        let text = format!("{:?}", Caller::known("a").with_claims(claims));
        assert!(
            text.contains("email") && !text.contains("example.com"),
            "{text}"
        );
    }

    #[cfg(feature = "server")]
    #[test]
    fn several_credentials_make_one_caller_of_the_first_one_s_id() {
        let one = json!({"a": 1, "b": 1}).as_object().unwrap().clone();
        let other = json!({"b": 2, "c": 2}).as_object().unwrap().clone();
        let both = Caller::known("one").with_scopes(["x"]).with_claims(one);
        let both = both.and(&Caller::known("other").with_scopes(["y"]).with_claims(other));
        assert_eq!(both.id(), Some("one"));
        assert_eq!(both.scopes().collect::<Vec<_>>(), ["x", "y"]);
        let claims: Vec<_> = both.claims().map(|(_, value)| value.clone()).collect();
        assert_eq!(claims, [json!(1), json!(1), json!(2)]);
    }

    #[cfg(feature = "macros")]
    #[test]
    fn schemes_that_were_shown_are_no_part_of_who_it_is() {
        let unknown = Caller::known("a");
        let key = Caller::known("a").shown("key");
        assert_eq!(unknown, key);
        assert!(unknown.has_shown("any"), "nobody can tell");
        assert!(key.has_shown("key") && !key.has_shown("token"));
        let both = key.clone().and(&Caller::known("b").shown("token"));
        assert!(both.has_shown("key") && both.has_shown("token") && !both.has_shown("x"));
        assert!(key.and(&unknown).has_shown("x"), "nobody can tell");
        assert!(!Caller::anonymous().shown("key").has_shown("key"));
    }
}
