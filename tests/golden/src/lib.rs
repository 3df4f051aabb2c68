//! Generated code that a compiler must take: names of Rust's prelude as messages, names of the
//! generated code's own as methods, several packages, messages that are written elsewhere.

/// From `hostile.proto`.
pub mod hostile {
    include!(concat!(env!("OUT_DIR"), "/hostile.rs"));
}

/// From `shop.proto` and `books.proto`, a module for each package.
pub mod packages {
    include!(concat!(env!("OUT_DIR"), "/shop.rs"));
}

/// From `names.proto`: names of Rust, of its prelude and of generated code, as messages, fields and
/// values.
pub mod names {
    include!(concat!(env!("OUT_DIR"), "/names.rs"));
}

/// From `types.proto`: every type in every position.
pub mod types {
    include!(concat!(env!("OUT_DIR"), "/types.rs"));
}

/// From `required.proto`: required fields of every type.
pub mod required {
    include!(concat!(env!("OUT_DIR"), "/required.rs"));
}

/// From `secrets.proto`: secret fields in every position.
pub mod secrets {
    include!(concat!(env!("OUT_DIR"), "/secrets.rs"));
}

/// From `shelf/v1.proto` and `shelf/v2.proto`: two versions, and what stands between them.
pub mod shelf {
    /// The older version.
    pub mod old {
        include!(concat!(env!("OUT_DIR"), "/shelf_v1.rs"));
    }

    /// The newer version.
    pub mod new {
        include!(concat!(env!("OUT_DIR"), "/shelf_v2.rs"));
    }

    mod adapters {
        include!(concat!(env!("OUT_DIR"), "/shelf_adapters.rs"));
    }

    mod hooks {
        /// What is gone stays gone, but is told.
        pub(super) mod gone {
            use crate::shelf::new::MoveRequest;
            use a2a_kit::wire::adapt::{Adapter, Refused};

            #[expect(
                clippy::needless_pass_by_value,
                reason = "generated code hands over what it has taken out"
            )]
            pub(crate) fn up(
                gone: String,
                new: &MoveRequest,
                adapter: &Adapter,
            ) -> Result<(), Refused> {
                if gone != new.owner {
                    adapter.loss("U2", "it is nobody's");
                }
                Ok(())
            }

            pub(crate) fn down(new: &MoveRequest, _: &Adapter) -> String {
                new.owner.clone()
            }
        }
    }
}

#[cfg(test)]
mod adapter_tests;
#[cfg(test)]
mod client_tests;
#[cfg(test)]
mod json_tests;
#[cfg(test)]
mod query_tests;
#[cfg(test)]
mod secret_tests;
#[cfg(test)]
mod tests;
