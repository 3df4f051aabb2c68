//! The options that the generator reads, decoded from the raw bytes of a descriptor.
//!
//! `prost_types` drops extensions, and reflection would take the user's copy of
//! `google/api/http.proto` at its word; these few messages need neither.

use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub(super) struct FileOptions {
    #[prost(message, repeated, tag = "4")]
    pub(super) messages: Vec<MessageWithOptions>,
    #[prost(message, repeated, tag = "6")]
    pub(super) services: Vec<ServiceWithOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageWithOptions {
    #[prost(message, repeated, tag = "2")]
    pub(super) fields: Vec<FieldWithOptions>,
    #[prost(message, repeated, tag = "3")]
    pub(super) messages: Vec<MessageWithOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FieldWithOptions {
    #[prost(message, optional, tag = "8")]
    pub(super) options: Option<FieldOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FieldOptions {
    /// `google.api.field_behavior`.
    #[prost(int32, repeated, tag = "1052")]
    pub(super) behaviors: Vec<i32>,
}

/// `google.api.FieldBehavior.REQUIRED`.
pub(super) const REQUIRED: i32 = 2;

#[derive(Clone, PartialEq, Message)]
pub(super) struct ServiceWithOptions {
    #[prost(message, repeated, tag = "2")]
    pub(super) methods: Vec<MethodWithOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MethodWithOptions {
    #[prost(message, optional, tag = "4")]
    pub(super) options: Option<MethodOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MethodOptions {
    /// `google.api.http`.
    #[prost(message, optional, tag = "72295728")]
    pub(super) http: Option<HttpRule>,
}

/// The field number of `google.api.http` in `MethodOptions`.
pub(super) const HTTP: i32 = 72_295_728;

#[derive(Clone, PartialEq, Message)]
pub(super) struct HttpRule {
    #[prost(oneof = "Pattern", tags = "2, 3, 4, 5, 6, 8")]
    pub(super) pattern: Option<Pattern>,
    #[prost(string, tag = "7")]
    pub(super) body: String,
    #[prost(string, tag = "12")]
    pub(super) response_body: String,
    #[prost(message, repeated, tag = "11")]
    pub(super) additional_bindings: Vec<HttpRule>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Pattern {
    #[prost(string, tag = "2")]
    Get(String),
    #[prost(string, tag = "3")]
    Put(String),
    #[prost(string, tag = "4")]
    Post(String),
    #[prost(string, tag = "5")]
    Delete(String),
    #[prost(string, tag = "6")]
    Patch(String),
    #[prost(message, tag = "8")]
    Custom(CustomPattern),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CustomPattern {
    #[prost(string, tag = "1")]
    pub(super) kind: String,
    #[prost(string, tag = "2")]
    pub(super) path: String,
}

impl Pattern {
    /// HTTP method and path template.
    pub(super) fn parts(&self) -> (&str, &str) {
        match self {
            Self::Get(path) => ("GET", path),
            Self::Put(path) => ("PUT", path),
            Self::Post(path) => ("POST", path),
            Self::Delete(path) => ("DELETE", path),
            Self::Patch(path) => ("PATCH", path),
            Self::Custom(custom) => (&custom.kind, &custom.path),
        }
    }
}

impl FileOptions {
    /// Options of the field at a descriptor path such as `[4, 0, 3, 1, 2, 5]`.
    pub(super) fn field(&self, path: &[i32]) -> Option<&FieldOptions> {
        let [message @ .., 2, field] = path else {
            return None;
        };
        let [4, first, nested @ ..] = message else {
            return None;
        };
        let mut found = at(&self.messages, *first)?;
        for step in nested.chunks(2) {
            let [3, index] = step else { return None };
            found = at(&found.messages, *index)?;
        }
        at(&found.fields, *field)?.options.as_ref()
    }

    /// The annotation of a method.
    pub(super) fn http(&self, service: usize, method: usize) -> Option<&HttpRule> {
        let service = self.services.get(service)?;
        service.methods.get(method)?.options.as_ref()?.http.as_ref()
    }
}

fn at<T>(list: &[T], index: i32) -> Option<&T> {
    list.get(usize::try_from(index).ok()?)
}
