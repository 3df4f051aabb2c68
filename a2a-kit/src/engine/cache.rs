//! The tasks that were read last, so that one that is read again is not encoded again.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use a2a_wire::v1_0::Task;
use prost::Message as _;

use super::live::{Key, lock};
use crate::Shared;

/// A task, and how much of its history.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct View {
    pub(super) key: Key,
    pub(super) history: Option<u32>,
}

/// Views of tasks, each at one sequence. Bounded in bytes; what was used longest ago goes first.
#[derive(Debug)]
pub(super) struct Cache {
    entries: Mutex<Entries>,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Entries {
    by_view: HashMap<View, Entry>,
    by_use: BTreeMap<u64, View>,
    uses: u64,
    weight: usize,
}

#[derive(Debug)]
struct Entry {
    sequence: u64,
    task: Shared<Task>,
    weight: usize,
    used: u64,
}

impl Cache {
    /// A cache for about so many bytes.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            entries: Mutex::default(),
            capacity,
        }
    }

    pub(super) fn get(&self, view: &View, sequence: u64) -> Option<Shared<Task>> {
        let mut guard = lock(&self.entries);
        let entries = &mut *guard;
        let entry = entries
            .by_view
            .get_mut(view)
            .filter(|entry| entry.sequence == sequence)?;
        entries.uses += 1;
        if let Some(view) = entries.by_use.remove(&entry.used) {
            entries.by_use.insert(entries.uses, view);
        }
        entry.used = entries.uses;
        Some(entry.task.clone())
    }

    pub(super) fn put(&self, view: View, sequence: u64, task: &Shared<Task>) {
        // The value itself, and what its encodings will take.
        let weight = 4 * task.encoded_len() + 512;
        if weight > self.capacity {
            return;
        }
        let mut entries = lock(&self.entries);
        entries.remove(&view);
        entries.uses += 1;
        let used = entries.uses;
        entries.weight += weight;
        entries.by_use.insert(used, view.clone());
        entries.by_view.insert(
            view,
            Entry {
                sequence,
                task: task.clone(),
                weight,
                used,
            },
        );
        while entries.weight > self.capacity {
            let Some((_, oldest)) = entries.by_use.pop_first() else {
                break;
            };
            entries.remove(&oldest);
        }
    }
}

impl Entries {
    fn remove(&mut self, view: &View) {
        if let Some(entry) = self.by_view.remove(view) {
            self.by_use.remove(&entry.used);
            self.weight -= entry.weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::Scope;

    fn view(id: &str) -> View {
        View {
            key: Key {
                scope: Scope::new("", ""),
                task: Arc::from(id),
            },
            history: None,
        }
    }

    fn task(id: &str) -> Shared<Task> {
        let mut task = Task::default();
        task.id = id.to_owned();
        Shared::new(task)
    }

    #[test]
    fn only_the_sequence_that_was_put_is_found() {
        let cache = Cache::new(10_000);
        cache.put(view("a"), 3, &task("a"));
        assert!(cache.get(&view("a"), 2).is_none());
        assert!(cache.get(&view("a"), 4).is_none());
        assert_eq!(
            cache.get(&view("a"), 3).map(|task| task.id.clone()),
            Some("a".to_owned())
        );
        assert!(
            cache
                .get(
                    &View {
                        history: Some(1),
                        ..view("a")
                    },
                    3
                )
                .is_none()
        );
    }

    #[test]
    fn what_was_used_longest_ago_goes_first_and_nothing_leaks() {
        let one = 4 * task("a").encoded_len() + 512;
        let cache = Cache::new(3 * one);
        for id in ["a", "b", "c"] {
            cache.put(view(id), 1, &task(id));
        }
        assert!(cache.get(&view("a"), 1).is_some());
        cache.put(view("d"), 1, &task("d"));
        let found = ["a", "b", "c", "d"].map(|id| cache.get(&view(id), 1).is_some());
        assert_eq!(found, [true, false, true, true]);
        for sequence in 2..100 {
            cache.put(view("a"), sequence, &task("a"));
        }
        let entries = lock(&cache.entries);
        assert_eq!(
            (entries.by_view.len(), entries.by_use.len(), entries.weight),
            (3, 3, 3 * one)
        );
    }

    #[test]
    fn a_task_that_is_too_big_is_not_kept() {
        let cache = Cache::new(100);
        cache.put(view("a"), 1, &task("a"));
        assert!(cache.get(&view("a"), 1).is_none());
    }
}
