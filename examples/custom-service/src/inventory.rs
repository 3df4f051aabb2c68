//! The service: items in memory.
//!
//! Comes in: requests whose names have been matched and whose required fields are there. Goes out:
//! items, or errors.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use a2a_kit::{CallContext, Code, Error, EventStream, Shared};
use futures_util::{StreamExt as _, stream};
use tokio::sync::broadcast;

use crate::generated::{
    Change, CreateItemRequest, DeleteItemRequest, GetItemRequest, Inventory, Item,
    ListItemsRequest, ListItemsResponse, MoveItemRequest, OUT_OF_STOCK, UpdateItemRequest,
    WatchItemsRequest, change,
};

/// How many changes a watcher may be behind.
const BACKLOG: usize = 256;

/// An inventory that is forgotten when the program ends. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Memory(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    items: Mutex<BTreeMap<String, Item>>,
    changes: broadcast::Sender<Change>,
}

impl Memory {
    /// An empty inventory.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Inner {
            items: Mutex::default(),
            changes: broadcast::Sender::new(BACKLOG),
        }))
    }

    fn items(&self) -> MutexGuard<'_, BTreeMap<String, Item>> {
        self.0.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores an item and tells the watchers, while nobody else can.
    fn store(&self, items: &mut BTreeMap<String, Item>, item: &Item) {
        items.insert(item.name.clone(), item.clone());
        // Nobody may be watching.
        let _ = self.0.changes.send(Change::stored(item.clone()));
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Inventory for Memory {
    async fn get_item(
        &self,
        _context: CallContext,
        request: GetItemRequest,
    ) -> Result<Shared<Item>, Error> {
        let items = self.items();
        let item = items
            .get(&request.name)
            .ok_or_else(|| not_found(&request.name))?;
        Ok(item.clone().into())
    }

    async fn list_items(
        &self,
        _context: CallContext,
        request: ListItemsRequest,
    ) -> Result<Shared<ListItemsResponse>, Error> {
        let most = request.stock_at_most.unwrap_or(u32::MAX);
        let items = self
            .items()
            .values()
            .filter(|item| request.parent.is_empty() || is_in(&item.name, &request.parent))
            .filter(|item| item.stock <= most)
            .filter(|item| request.words.iter().all(|word| item.title.contains(word)))
            .cloned()
            .collect::<Vec<_>>();
        Ok(ListItemsResponse::new().with_items(items).into())
    }

    async fn create_item(
        &self,
        _context: CallContext,
        request: CreateItemRequest,
    ) -> Result<Shared<Item>, Error> {
        if request.item_id.contains('/') {
            return Err(Error::invalid_field("itemId", "must not contain `/`"));
        }
        let name = format!("{}/items/{}", request.parent, request.item_id);
        let item = request.item.unwrap_or_default().with_name(name);
        let mut items = self.items();
        if items.contains_key(&item.name) {
            return Err(Error::new(
                Code::AlreadyExists,
                format!("{} is there already", item.name),
            ));
        }
        self.store(&mut items, &item);
        Ok(item.into())
    }

    async fn update_item(
        &self,
        _context: CallContext,
        request: UpdateItemRequest,
    ) -> Result<Shared<Item>, Error> {
        let new = request.item.unwrap_or_default();
        let mut items = self.items();
        let mut item = items
            .get(&new.name)
            .cloned()
            .ok_or_else(|| not_found(&new.name))?;
        match request.update_mask {
            None => item = new,
            Some(mask) => {
                for path in &mask.paths {
                    match path.as_str() {
                        "title" => item.title.clone_from(&new.title),
                        "stock" => item.stock = new.stock,
                        "labels" => item.labels.clone_from(&new.labels),
                        other => {
                            return Err(Error::invalid_field(
                                "updateMask",
                                format!("{other} cannot be changed"),
                            ));
                        }
                    }
                }
            }
        }
        self.store(&mut items, &item);
        Ok(item.into())
    }

    async fn move_item(
        &self,
        _context: CallContext,
        request: MoveItemRequest,
    ) -> Result<Shared<Item>, Error> {
        let mut items = self.items();
        let mut from = items
            .get(&request.name)
            .cloned()
            .ok_or_else(|| not_found(&request.name))?;
        let Some(left) = from.stock.checked_sub(request.pieces) else {
            let message = format!("{} has {} pieces", from.name, from.stock);
            return Err(Error::from_spec(&OUT_OF_STOCK, message).with_metadata("name", from.name));
        };
        let id = from.name.rsplit('/').next().unwrap_or_default();
        let name = format!("{}/items/{id}", request.destination);
        if name == from.name {
            return Err(Error::invalid_field("destination", "it is there already"));
        }
        let mut to = items
            .get(&name)
            .cloned()
            .unwrap_or_else(|| from.clone().with_name(name).with_stock(0));
        to.stock = to.stock.saturating_add(request.pieces);
        from.stock = left;
        self.store(&mut items, &from);
        self.store(&mut items, &to);
        Ok(to.into())
    }

    async fn delete_item(
        &self,
        _context: CallContext,
        request: DeleteItemRequest,
    ) -> Result<Shared<()>, Error> {
        let mut items = self.items();
        if items.remove(&request.name).is_none() {
            return Err(not_found(&request.name));
        }
        let _ = self.0.changes.send(Change::deleted(request.name));
        Ok(().into())
    }

    async fn watch_items(
        &self,
        _context: CallContext,
        request: WatchItemsRequest,
    ) -> Result<EventStream<Change>, Error> {
        // Under the lock, so that no change is missed or told twice.
        let (there, changes) = {
            let items = self.items();
            let there: Vec<Change> = items.values().cloned().map(Change::stored).collect();
            (there, self.0.changes.subscribe())
        };
        let later = stream::unfold(changes, |mut changes| async {
            match changes.recv().await {
                Ok(change) => Some((Ok(change), changes)),
                Err(broadcast::error::RecvError::Closed) => None,
                Err(broadcast::error::RecvError::Lagged(missed)) => {
                    let message = format!("{missed} changes were missed; watch again");
                    Some((Err(Error::new(Code::Aborted, message)), changes))
                }
            }
        });
        let parent = request.parent;
        let events = stream::iter(there.into_iter().map(Ok))
            .chain(later)
            .filter(move |change| {
                std::future::ready(match change {
                    Ok(change) => is_in(name_of(change), &parent),
                    Err(_) => true,
                })
            });
        Ok(events.map(|change| change.map(Shared::new)).boxed())
    }
}

fn name_of(change: &Change) -> &str {
    match &change.change {
        Some(change::Change::Stored(item)) => &item.name,
        Some(change::Change::Deleted(name)) => name,
        None => "",
    }
}

fn is_in(name: &str, parent: &str) -> bool {
    name.strip_prefix(parent)
        .is_some_and(|rest| rest.starts_with('/'))
}

fn not_found(name: &str) -> Error {
    Error::new(Code::NotFound, format!("there is no {name}"))
}
