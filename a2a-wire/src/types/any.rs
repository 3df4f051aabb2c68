//! Messages of a named type.

use bytes::Bytes;

/// `google.protobuf.Any`: a message of a named type.
///
/// Its JSON needs to know the type. Known are `google.rpc.ErrorInfo`, `google.rpc.BadRequest` and
/// the well-known types; anything else has no JSON here and says so.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct Any {
    /// `type.googleapis.com/` and the full proto name.
    #[prost(string, tag = "1")]
    pub type_url: String,
    /// The encoded message.
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
}

impl Any {
    /// The full proto name of the message: what follows the last `/` of the type URL.
    #[must_use]
    pub fn type_name(&self) -> &str {
        self.type_url.rsplit('/').next().unwrap_or_default()
    }
}
