//! What the environment says, and the stores that it can name.

use std::sync::Arc;

use super::Change;
use crate::engine::EngineBuilder;
use crate::store::StoreBackend;
use crate::{BoxFuture, Error};

pub(super) const ADDR: &str = "A2A_ADDR";
pub(super) const PUBLIC_URL: &str = "A2A_PUBLIC_URL";
pub(super) const STORE: &str = "A2A_STORE";

/// The store that needs no backend.
const MEMORY: &str = "memory";

/// Where variables come from.
#[derive(Clone)]
pub(super) struct Environment(Arc<Lookup>);

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Default for Environment {
    fn default() -> Self {
        Self::of(|name| std::env::var(name).ok())
    }
}

impl Environment {
    pub(super) fn of(lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(lookup))
    }

    pub(super) fn get(&self, name: &str) -> Option<String> {
        let value = (self.0)(name)?;
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }
}

/// A [`StoreBackend`] whose type is forgotten.
pub(super) trait Backend: Send + Sync {
    fn scheme(&self) -> &str;
    fn open<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Change<EngineBuilder>, Error>>;
}

impl<B: StoreBackend> Backend for B {
    fn scheme(&self) -> &str {
        StoreBackend::scheme(self)
    }

    fn open<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Change<EngineBuilder>, Error>> {
        Box::pin(async move {
            let store = StoreBackend::open(self, url).await?;
            let give: Change<EngineBuilder> = Box::new(|engine| engine.store(store));
            Ok(give)
        })
    }
}

/// The store that the environment names; `None` for the one in memory.
pub(super) async fn store(
    environment: &Environment,
    backends: &[Box<dyn Backend>],
) -> Result<Option<Change<EngineBuilder>>, Error> {
    let Some(url) = environment.get(STORE) else {
        return Ok(None);
    };
    let scheme = url.split(':').next().unwrap_or_default();
    let named = backends
        .iter()
        .find(|backend| backend.scheme().eq_ignore_ascii_case(scheme));
    if let Some(backend) = named {
        return backend.open(&url).await.map(Some);
    }
    if url.eq_ignore_ascii_case(MEMORY) {
        return Ok(None);
    }
    let known: Vec<&str> = std::iter::once(MEMORY)
        .chain(backends.iter().map(|backend| backend.scheme()))
        .collect();
    // Not the whole address, which may hold a password.
    Err(Error::invalid_field(
        STORE,
        format!(
            "{scheme:?} is no kind of store that this program has; it has {}. Write {STORE}={MEMORY}, or give the agent the store's backend: .store_backend(…)",
            known.join(", ")
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    struct Scratch;

    impl StoreBackend for Scratch {
        type Store = MemoryStore;

        fn scheme(&self) -> &str {
            "scratch"
        }

        async fn open(&self, url: &str) -> Result<MemoryStore, Error> {
            match url {
                "scratch:here" => Ok(MemoryStore::new()),
                _ => Err(Error::invalid_field(STORE, "is not here")),
            }
        }
    }

    async fn opened(value: Option<&'static str>) -> Result<bool, Error> {
        let environment = Environment::of(move |name| {
            assert_eq!(name, STORE);
            value.map(str::to_owned)
        });
        let backends: [Box<dyn Backend>; 1] = [Box::new(Scratch)];
        store(&environment, &backends)
            .await
            .map(|store| store.is_some())
    }

    #[tokio::test]
    async fn stores_are_opened_by_their_scheme() {
        assert!(!opened(None).await.unwrap());
        assert!(!opened(Some(" ")).await.unwrap());
        assert!(!opened(Some("memory")).await.unwrap());
        assert!(opened(Some("scratch:here")).await.unwrap());
        assert!(
            opened(Some("scratch:there"))
                .await
                .unwrap_err()
                .message()
                .contains("is not here")
        );
    }

    #[tokio::test]
    async fn a_store_of_an_unknown_kind_is_refused_with_what_to_write() {
        let error = opened(Some("sql://user:secret@host/tasks"))
            .await
            .map(drop)
            .unwrap_err();
        let said = error.message();
        for part in [
            "A2A_STORE",
            "\"sql\"",
            "memory, scratch",
            "A2A_STORE=memory",
            ".store_backend(",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains("secret"), "{said}");
    }
}
