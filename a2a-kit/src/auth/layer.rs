//! Callers whom a layer in front of the routers has found out about.
//!
//! Comes in: a [`Caller`] in the extensions of a request. Goes out: the same.

use super::{Authenticator, Rejection, RequestHead};
use crate::context::Caller;

/// Takes the [`Caller`] that a layer in front has put into the extensions of a request, for programs
/// that authenticate there. It serves every security scheme; a request without a known caller in its
/// extensions has no credentials.
///
/// ```
/// use a2a_kit::auth::{Authentication, CallerFromLayer};
/// # let card = a2a_kit::v1_0::AgentCard::new();
/// let authentication = Authentication::for_card(&card).other_schemes(CallerFromLayer).build()?;
/// # let _ = authentication;
/// # Ok::<(), a2a_kit::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CallerFromLayer;

impl Authenticator for CallerFromLayer {
    async fn authenticate(&self, head: RequestHead<'_>) -> Result<Option<Caller>, Rejection> {
        let caller = head.extension::<Caller>();
        Ok(caller.filter(|caller| caller.id().is_some()).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ask, head};
    use super::*;

    #[tokio::test]
    async fn only_a_known_caller_is_one() {
        let mut request = head("/", &[]);
        assert_eq!(ask(&CallerFromLayer, &request).await, Ok(None));
        request.extensions.insert(Caller::anonymous());
        assert_eq!(ask(&CallerFromLayer, &request).await, Ok(None));
        request.extensions.insert(Caller::known("a"));
        assert_eq!(
            ask(&CallerFromLayer, &request).await,
            Ok(Some(Caller::known("a")))
        );
    }
}
