//! Values that many readers share, encoded at most once per encoding.

use std::any::TypeId;
use std::fmt;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use a2a_wire::__codegen::WireMessage;
use bytes::Bytes;
use futures_core::Stream;

use crate::error::Error;

/// An immutable message behind an `Arc`, whose encodings are made at most once, when first asked
/// for. A task that a thousand clients read is serialised once.
///
/// ```
/// use a2a_kit::{Shared, v1_0::GetTaskRequest};
/// let mut request = GetTaskRequest::default();
/// request.id = "t1".into();
/// let shared = Shared::new(request);
/// assert_eq!(shared.id, "t1");
/// assert_eq!(&shared.json()?[..], br#"{"id":"t1"}"#);
/// # Ok::<(), a2a_kit::Error>(())
/// ```
pub struct Shared<T>(Arc<Inner<T>>);

struct Inner<T> {
    value: T,
    json: OnceLock<Bytes>,
    proto: OnceLock<Bytes>,
    /// Encodings of other versions.
    others: Mutex<Vec<(Form, Bytes)>>,
}

/// Which encoding of another version it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    /// What it is written by.
    pub(crate) writer: TypeId,
    /// It is said to be the last one of a stream, which may stand in it.
    pub(crate) last: bool,
}

impl<T> Shared<T> {
    /// Shares a value.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Arc::new(Inner {
            value,
            json: OnceLock::new(),
            proto: OnceLock::new(),
            others: Mutex::default(),
        }))
    }

    /// An encoding of another version: made at most once, while others who want it wait.
    ///
    /// # Errors
    /// Those of `make`; then it is tried again the next time.
    pub(crate) fn encoding(
        &self,
        form: Form,
        make: impl FnOnce(&T) -> Result<Bytes, Error>,
    ) -> Result<Bytes, Error> {
        let mut others = self.0.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = others.iter().find(|(known, _)| *known == form) {
            return Ok(bytes.clone());
        }
        let bytes = make(&self.0.value)?;
        others.push((form, bytes.clone()));
        Ok(bytes)
    }

    /// The value itself: without a copy when nobody else shares it.
    #[must_use]
    pub fn into_inner(self) -> T
    where
        T: Clone,
    {
        match Arc::try_unwrap(self.0) {
            Ok(inner) => inner.value,
            Err(shared) => shared.value.clone(),
        }
    }
}

impl<T: WireMessage> Shared<T> {
    /// The value as JSON, the bare object.
    ///
    /// # Errors
    /// When the value has no JSON form; see [`WireMessage::write_json`].
    pub fn json(&self) -> Result<Bytes, Error> {
        if let Some(json) = self.0.json.get() {
            return Ok(json.clone());
        }
        let mut out = Vec::with_capacity(256);
        self.0.value.write_json(&mut out).map_err(unencodable)?;
        // Who keeps the value keeps this, too: without the room that the vector has grown into.
        Ok(self
            .0
            .json
            .get_or_init(|| Bytes::from(out.into_boxed_slice()))
            .clone())
    }

    /// The value as protobuf.
    #[must_use]
    pub fn proto(&self) -> Bytes {
        self.0
            .proto
            .get_or_init(|| Bytes::from(self.0.value.encode_to_vec()))
            .clone()
    }
}

fn unencodable(error: a2a_wire::json::Error) -> Error {
    Error::internal(format!("the answer has no JSON form: {error}")).with_source(error)
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}

/// A stream of shared messages: the answer of a streaming operation.
pub type EventStream<T> = Pin<Box<dyn Stream<Item = Result<Shared<T>, Error>> + Send>>;

/// A message whose type has been forgotten but that still knows its encodings.
pub trait Encoded: Send + Sync {
    /// As [`Shared::json`].
    ///
    /// # Errors
    /// As [`Shared::json`].
    fn json(&self) -> Result<Bytes, Error>;

    /// One field, by its proto name, as a whole JSON text (`response_body`).
    ///
    /// # Errors
    /// As [`Shared::json`].
    fn json_field(&self, field: &str) -> Result<Bytes, Error>;

    /// The message as protobuf.
    ///
    /// # Errors
    /// When it has no form in the version that it is written for.
    fn proto(&self) -> Result<Bytes, Error>;
}

impl<T: WireMessage> Encoded for Shared<T> {
    fn json(&self) -> Result<Bytes, Error> {
        self.json()
    }

    fn json_field(&self, field: &str) -> Result<Bytes, Error> {
        let mut out = Vec::new();
        self.0
            .value
            .write_body_field(field, &mut out)
            .map_err(unencodable)?;
        Ok(Bytes::from(out))
    }

    fn proto(&self) -> Result<Bytes, Error> {
        Ok(self.proto())
    }
}
