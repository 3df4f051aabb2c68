//! The public keys of an issuer.
//!
//! Comes in: a JSON Web Key Set, as its issuer publishes it. Goes out: those of its keys that can
//! verify a signature, found by what a token says of itself. Secret keys, keys for other uses and
//! keys that are not understood are left out, so that one of them does not hide the others.

use jsonwebtoken::jwk::KeyOperations;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;

use super::JwtAlgorithm;

/// How many keys of a set are looked at: a signature is verified with each one that may be meant.
const MOST_KEYS: usize = 64;

#[derive(Deserialize)]
struct Set {
    keys: Vec<serde_json::Value>,
}

/// Keys that verify signatures.
#[derive(Default)]
pub(super) struct Keys(Vec<Known>);

struct Known {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Keys {
    /// Reads a key set.
    ///
    /// # Errors
    /// When it is none, or has no key that can be used.
    pub(super) fn read(json: &[u8]) -> Result<Self, String> {
        let set: Set = serde_json::from_slice(json)
            .map_err(|error| format!("it is no JSON Web Key Set: {error}"))?;
        let known: Vec<Known> = set
            .keys
            .into_iter()
            .filter_map(Known::of)
            .take(MOST_KEYS)
            .collect();
        if known.is_empty() {
            let known = JwtAlgorithm::ALL.map(JwtAlgorithm::name).join(", ");
            return Err(format!("it has no key that verifies one of {known}"));
        }
        Ok(Self(known))
    }

    /// Keys that a token of this algorithm may be signed with. When it names a key, it is that one.
    pub(super) fn find<'a>(
        &'a self,
        algorithm: Algorithm,
        id: Option<&'a str>,
    ) -> impl Iterator<Item = &'a DecodingKey> {
        let fitting = self.0.iter().filter(move |known| {
            known.algorithm == algorithm && (id.is_none() || known.id.as_deref() == id)
        });
        fitting.map(|known| &known.key)
    }
}

impl Known {
    fn of(json: serde_json::Value) -> Option<Self> {
        let key: Jwk = serde_json::from_value(json).ok()?;
        let common = &key.common;
        let is_for_signatures = common
            .public_key_use
            .as_ref()
            .is_none_or(|is_for| *is_for == PublicKeyUse::Signature)
            && common
                .key_operations
                .as_ref()
                .is_none_or(|all| all.contains(&KeyOperations::Verify));
        let (algorithm, name) = match &key.algorithm {
            AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
            AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P256 => {
                (Algorithm::ES256, KeyAlgorithm::ES256)
            }
            AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => {
                (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
            }
            _ => return None,
        };
        let is_for_it = common.key_algorithm.is_none_or(|declared| declared == name);
        (is_for_signatures && is_for_it).then_some(())?;
        Some(Self {
            id: common.key_id.clone(),
            algorithm,
            key: DecodingKey::from_jwk(&key).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(keys: &Keys, algorithm: Algorithm, id: Option<&str>) -> usize {
        keys.find(algorithm, id).count()
    }

    #[test]
    fn keys_that_cannot_verify_are_left_out_and_hide_no_other() {
        let ed = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        let set = json!({"keys": [
            {"kty": "OKP", "crv": "Ed25519", "x": ed, "kid": "ed"},
            {"kty": "oct", "k": "c2VjcmV0", "kid": "secret", "alg": "HS256"},
            {"kty": "OKP", "crv": "Ed25519", "x": ed, "kid": "enc", "use": "enc"},
            {"kty": "OKP", "crv": "Ed25519", "x": ed, "kid": "sign", "key_ops": ["sign"]},
            {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "pss", "alg": "PS256"},
            {"kty": "RSA", "n": "!", "e": "AQAB", "kid": "broken"},
            {"kty": "EC", "crv": "P-384", "x": "AA", "y": "AA", "kid": "p384"},
            {"kty": "future", "kid": "new"},
            "garbage",
            {"kty": "RSA", "n": "AQAB", "e": "AQAB", "use": "sig", "key_ops": ["verify"]},
        ]});
        let keys = Keys::read(set.to_string().as_bytes()).unwrap();
        assert_eq!(keys.0.len(), 2);
        assert_eq!(found(&keys, Algorithm::EdDSA, Some("ed")), 1);
        assert_eq!(found(&keys, Algorithm::EdDSA, None), 1);
        assert_eq!(found(&keys, Algorithm::RS256, None), 1);
        // A token that names a key gets no other one.
        assert_eq!(found(&keys, Algorithm::RS256, Some("ed")), 0);
        assert_eq!(found(&keys, Algorithm::RS256, Some("")), 0);
        assert_eq!(found(&keys, Algorithm::HS256, Some("secret")), 0);
    }

    #[test]
    fn a_set_without_a_key_is_none() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"keys":[]}"#,
            r#"{"keys":[{"kty":"oct","k":"AA"}]}"#,
        ] {
            assert!(Keys::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
