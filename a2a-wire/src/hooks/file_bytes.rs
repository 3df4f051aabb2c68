//! Bytes of files in protobuf of v0.3, in which several SDKs put base64 text.
//!
//! Comes in: what stands there, or the bytes. Goes out: the bytes, or what is to stand there.
//! Serves protobuf and ProtoJSON alike.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use crate::adapt::{Adapter, FileBytes, Refused};
use crate::json::generated::from_base64;

/// The bytes of a file from what stands in protobuf.
///
/// # Errors
/// When the peer is said to write base64 text, and this is none.
pub(crate) fn up(bytes: Bytes, adapter: &Adapter) -> Result<Bytes, Refused> {
    match adapter.options().file_bytes {
        FileBytes::Raw => Ok(bytes),
        FileBytes::Base64Text => std::str::from_utf8(&bytes)
            .ok()
            .and_then(from_base64)
            .ok_or_else(|| {
                Refused::new(
                    "expected base64 text, which this peer is said to put there; found other \
                     bytes. Set `file_bytes` to `Raw` or `Auto` for it",
                )
            }),
        FileBytes::Auto => Ok(from_canonical(&bytes).unwrap_or(bytes)),
    }
}

/// What stands in protobuf for the bytes of a file.
#[must_use]
pub(crate) fn down(bytes: Bytes, adapter: &Adapter) -> Bytes {
    match adapter.options().file_bytes {
        FileBytes::Raw | FileBytes::Auto => bytes,
        FileBytes::Base64Text => STANDARD.encode(&bytes).into(),
    }
}

/// The bytes behind a text, when it is base64 as encoders write it: of the usual alphabet, padded,
/// and no bit too many.
fn from_canonical(text: &[u8]) -> Option<Bytes> {
    // Most files are given up at their first bytes.
    if text.len() < 4 || !text.len().is_multiple_of(4) {
        return None;
    }
    STANDARD.decode(text).ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapt::Options;

    fn adapter(file_bytes: FileBytes) -> Adapter {
        Adapter::new(Options {
            file_bytes,
            ..Options::default()
        })
    }

    #[test]
    fn automatically_only_canonical_base64_is_decoded() {
        let adapter = adapter(FileBytes::Auto);
        for (found, meant) in [
            (&b"AAEC/w=="[..], &b"\x00\x01\x02\xff"[..]),
            (b"AAEC/x==", b"AAEC/x=="),
            (b"AAEC_w==", b"AAEC_w=="),
            (b"AAEC/w", b"AAEC/w"),
            (b"", b""),
            (b"YQ", b"YQ"),
            (b"\xff\xfe\xfd\xfc", b"\xff\xfe\xfd\xfc"),
        ] {
            let read = up(Bytes::from_static(found), &adapter).unwrap();
            assert_eq!(read, meant, "{found:?}");
        }
        let raw = Bytes::from_static(b"\x00\x01");
        assert_eq!(down(raw.clone(), &adapter), raw);
    }

    #[test]
    fn as_the_peer_is_said_to_write_it() {
        let text = Bytes::from_static(b"AAEC/w==");
        let raw = Bytes::from_static(b"\x00\x01\x02\xff");
        let (as_raw, as_text) = (adapter(FileBytes::Raw), adapter(FileBytes::Base64Text));
        assert_eq!(up(text.clone(), &as_raw), Ok(text.clone()));
        assert_eq!(down(raw.clone(), &as_raw), raw);
        assert_eq!(up(text.clone(), &as_text), Ok(raw.clone()));
        assert_eq!(up(Bytes::from_static(b"AAEC_w"), &as_text), Ok(raw.clone()));
        assert_eq!(down(raw.clone(), &as_text), text);
        assert!(up(raw, &as_text).is_err());
        assert_eq!(up(Bytes::new(), &as_text), Ok(Bytes::new()));
    }
}
