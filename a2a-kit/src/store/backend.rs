//! Stores by their addresses.

use std::future::Future;

use super::Store;
use crate::Error;

/// Opens the stores of one kind by their addresses, so that which store an agent has can be said
/// where it is started.
///
/// ```
/// use a2a_kit::Error;
/// use a2a_kit::store::{MemoryStore, StoreBackend};
///
/// /// `scratch:anything` is a store in memory.
/// struct Scratch;
///
/// impl StoreBackend for Scratch {
///     type Store = MemoryStore;
///
///     fn scheme(&self) -> &str {
///         "scratch"
///     }
///
///     async fn open(&self, _url: &str) -> Result<MemoryStore, Error> {
///         Ok(MemoryStore::new())
///     }
/// }
/// ```
pub trait StoreBackend: Send + Sync + 'static {
    /// What it opens.
    type Store: Store;

    /// What its addresses begin with, in front of the colon.
    fn scheme(&self) -> &str;

    /// Opens the store at an address, scheme included.
    ///
    /// # Errors
    /// What is wrong with the address, or why there is no store.
    fn open(&self, url: &str) -> impl Future<Output = Result<Self::Store, Error>> + Send;
}
