//! What one run of reading or writing carries along: the place of a fault, and the budget.

use std::cell::{Cell, RefCell};
use std::fmt::Display;

use crate::adapt::{Adapter, Language};
use crate::path::{Segment, render};

/// The state of one run.
///
/// Every reader and writer has it at hand, so two runs never mix, also when one starts inside of
/// the other. Segments of the path are added while an error unwinds: a text without faults pays
/// nothing for them, and a faulty one is not read twice.
#[derive(Debug)]
pub struct Context<'a> {
    /// Where losses go, when the JSON is that of an older version.
    adapter: Option<&'a Adapter>,
    /// Innermost first.
    path: RefCell<Vec<Segment>>,
    /// The fault was found by us, not by the tokenizer.
    ours: Cell<bool>,
    /// Bytes of memory that may still be spent on elements.
    left: Cell<usize>,
}

/// What is said when the budget is spent.
pub(crate) const TOO_MANY: &str = "too many elements for a message of this size; send large tables as a file (raw or url) instead";

/// The budget of a text or of protobuf of this length.
pub(crate) fn budget(length: usize) -> usize {
    BASE.saturating_add(length.saturating_mul(PER_BYTE))
}

/// Budget that every text has, whatever its length: room for some ten thousand small parts or for
/// a table of data with some hundred thousand cells.
const BASE: usize = 24 << 20;

/// Budget per byte of the text.
///
/// A short text may ask for a lot of memory: `[0,0,…]` spends 2 bytes on what takes 32 or 64, and
/// `{"a":0},` costs a map node of 600. Charged is what an element costs in the worst case, when its
/// list has just grown; the bytes of its texts are not, there are never more of them than in the
/// input. A text of 32 MiB can thus cost 24 + 32 MiB for its elements and 32 MiB for their texts
/// beside itself, which is less than four times its own length.
const PER_BYTE: usize = 1;

impl<'a> Context<'a> {
    /// For a text of `length` bytes.
    pub(crate) fn for_text(length: usize) -> Self {
        Self::with_budget(budget(length))
    }

    /// For writing, and for readers that have no text: another format, or a tree of values.
    #[must_use]
    pub fn unbounded() -> Self {
        Self::with_budget(usize::MAX)
    }

    fn with_budget(left: usize) -> Self {
        Self {
            adapter: None,
            path: RefCell::new(Vec::new()),
            ours: Cell::new(false),
            left: Cell::new(left),
        }
    }

    /// The same, with a place for what other versions cannot hold.
    pub(crate) fn adapting(mut self, adapter: &'a Adapter) -> Self {
        self.adapter = Some(adapter);
        self
    }

    /// Where losses go, when the JSON is that of an older version.
    #[inline]
    #[must_use]
    pub fn adapter(&self) -> Option<&'a Adapter> {
        self.adapter
    }

    /// True when a text is taken for ProtoJSON where its shape does not say.
    #[must_use]
    pub fn is_proto(&self) -> bool {
        self.adapter
            .is_some_and(|adapter| adapter.options().language == Language::Proto)
    }

    /// True when a push configuration may be asked for without its id.
    #[must_use]
    pub fn may_lack_config_id(&self) -> bool {
        self.adapter
            .is_some_and(|adapter| adapter.options().config_id_optional)
    }

    /// A mark for [`Context::below`].
    #[inline]
    pub(crate) fn mark(&self) -> usize {
        self.adapter.map_or(0, Adapter::mark)
    }

    /// Puts a segment before the paths of the losses noted since a mark.
    #[inline]
    pub(crate) fn below(&self, mark: usize, segment: impl FnOnce() -> Segment) {
        if let Some(adapter) = self.adapter
            && adapter.mark() > mark
        {
            adapter.place(mark, &segment());
        }
    }

    /// Notes a loss at the value at hand.
    pub(crate) fn note(&self, id: &'static str, detail: &'static str) {
        if let Some(adapter) = self.adapter {
            adapter.loss(id, detail);
        }
    }

    /// Notes a loss of a member of the object at hand.
    pub fn note_of(&self, id: &'static str, member: &'static str, detail: &'static str) {
        if let Some(adapter) = self.adapter {
            adapter.loss_of(id, member, detail);
        }
    }

    /// Forgets a fault that was found, and goes on after it.
    #[cold]
    pub(crate) fn forgive(&self) {
        self.path.borrow_mut().clear();
        self.ours.set(false);
    }

    /// True when the fault was found by us, not by the tokenizer.
    pub(crate) fn is_ours(&self) -> bool {
        self.ours.get()
    }

    /// The path of the fault.
    pub(crate) fn path(&self) -> String {
        render(self.path.borrow().iter().rev())
    }

    /// Adds the segment in which an error came up, and hands the error on.
    #[cold]
    pub(crate) fn inside<E>(&self, segment: Segment, error: E) -> E {
        self.path.borrow_mut().push(segment);
        error
    }

    /// An error of reading.
    #[cold]
    pub(crate) fn fault<E: serde::de::Error>(&self, message: impl Display) -> E {
        self.ours.set(true);
        E::custom(message)
    }

    /// An error of writing.
    #[cold]
    pub(crate) fn unwritable<E: serde::ser::Error>(&self, message: impl Display) -> E {
        self.ours.set(true);
        E::custom(message)
    }

    /// Puts the path before the message of an error that leaves for a caller who does not know this
    /// context. Errors of the tokenizer stay as they are, so that callers can still tell them.
    #[cold]
    pub(crate) fn explained<E: serde::de::Error>(&self, error: E) -> E {
        let path = self.path();
        if path.is_empty() || !self.is_ours() {
            error
        } else {
            E::custom(format_args!("{path}: {error}"))
        }
    }

    /// As [`Context::explained`], for writing.
    #[cold]
    pub(crate) fn explained_writing<E: serde::ser::Error>(&self, error: E) -> E {
        let path = self.path();
        if path.is_empty() {
            error
        } else {
            E::custom(format_args!("{path}: {error}"))
        }
    }

    /// Spends memory.
    ///
    /// # Errors
    /// When the text asks for more than its length justifies.
    #[inline]
    pub(crate) fn spend<E: serde::de::Error>(&self, bytes: usize) -> Result<(), E> {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(self.fault(TOO_MANY)),
        }
    }

    /// Pays for a text: a short one takes more than its length; the bytes of a long one are those of
    /// the input.
    #[inline]
    pub(crate) fn spend_text<E: serde::de::Error>(&self, text: &str) -> Result<(), E> {
        if text.is_empty() {
            Ok(())
        } else {
            self.spend(SHORT_TEXT)
        }
    }

    /// Makes room for one more element, and pays for it when the list has to grow.
    #[inline]
    pub(crate) fn room<T, E: serde::de::Error>(&self, list: &mut Vec<T>) -> Result<(), E> {
        if list.len() == list.capacity() {
            let more = list.capacity().max(4);
            self.spend(more.saturating_mul(size_of::<T>()))?;
            list.reserve_exact(more);
        }
        Ok(())
    }
}

/// What the allocator spends on a short text.
pub(crate) const SHORT_TEXT: usize = 32;

/// What one more entry costs in a map whose entries have this size: half-filled nodes in the worst
/// case, and a whole node of eleven for the first entry.
pub(crate) const fn map_entry(size: usize, is_first: bool) -> usize {
    if is_first { size * 11 + 16 } else { size * 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Error;

    #[test]
    fn paths_grow_from_the_inside() {
        let context = Context::unbounded();
        let error: Error = context.fault("wrong");
        let error = context.inside(Segment::Field("url"), error);
        let error = context.inside(Segment::Index(2), error);
        let error = context.inside(Segment::Field("parts"), error);
        assert_eq!(context.explained(error).to_string(), "parts[2].url: wrong");
    }

    #[test]
    fn errors_of_the_tokenizer_stay_as_they_are() {
        let context = Context::unbounded();
        let error = serde_json::from_str::<bool>("tru").unwrap_err();
        let error = context.inside(Segment::Field("flag"), error);
        assert!(context.explained(error).is_eof());
    }

    #[test]
    fn growing_is_paid_for() {
        let context = Context::with_budget(10 * size_of::<u64>());
        let mut list: Vec<u64> = Vec::new();
        let mut result = Ok(());
        while result.is_ok() {
            result = context.room::<_, Error>(&mut list).map(|()| list.push(0));
        }
        assert_eq!(list.len(), 8);
        assert!(
            result
                .unwrap_err()
                .to_string()
                .contains("too many elements")
        );
    }
}
