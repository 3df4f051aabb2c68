//! Signatures of tokens, by ring.
//!
//! Comes in: a public key and an algorithm. Goes out: what `jsonwebtoken` verifies signatures with.
//!
//! That crate has one provider of cryptography for the whole program. Where the program has chosen
//! one, it is used; else this one is installed, which is what TLS uses as well. It verifies RS256,
//! ES256 and EdDSA and does nothing else, so that nothing else can be asked of it.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error as SignatureError, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};

static RING: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::UnsupportedAlgorithm.into()),
    verifier_factory: |algorithm, key| {
        let is_known = matches!(
            algorithm,
            Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA
        );
        if !is_known {
            return Err(ErrorKind::UnsupportedAlgorithm.into());
        }
        if key.family() != algorithm.family() {
            return Err(ErrorKind::InvalidKeyFormat.into());
        }
        Ok(Box::new(Key {
            algorithm: *algorithm,
            key: key.clone(),
        }))
    },
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: |_| unsupported(),
        rsa_pub_components_from_public_key: |_| unsupported(),
        ec_pub_components_from_private_key: |_, _| unsupported(),
        ed_pub_components_from_private_key: |_, _| unsupported(),
        compute_digest: |_, _| unsupported(),
    },
};

fn unsupported<T>() -> Result<T> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

/// Makes sure that there is a provider.
pub(super) fn install() {
    if CryptoProvider::try_get_default().is_none() {
        // Who was faster has installed one.
        let _ = RING.install_default();
    }
}

struct Key {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Key {
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), SignatureError> {
        let result = match (self.algorithm, self.key.kind()) {
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(
                    &RSA_PKCS1_2048_8192_SHA256,
                    message,
                    signature,
                )
            }
            (Algorithm::RS256, DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key).verify(message, signature)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(message, signature)
            }
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(&ED25519, key).verify(message, signature)
            }
            _ => return Err(SignatureError::new()),
        };
        result.map_err(|_| SignatureError::new())
    }
}

impl JwtVerifier for Key {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
