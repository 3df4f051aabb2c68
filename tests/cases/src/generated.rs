//! Code that was generated from the protos of the committed case file, when this crate was built.
//!
//! Comes in: the key of a proto. Goes out: the tables of its service.

use a2a_kit::ServiceSpec;

/// The proto `lib`.
pub mod lib {
    include!(concat!(env!("OUT_DIR"), "/lib.rs"));
}

/// The proto `scalars`.
pub mod scalars {
    include!(concat!(env!("OUT_DIR"), "/scalars.rs"));
}

/// The same protos, with a profile that ignores unknown fields.
pub mod lenient {
    /// The proto `lib`.
    pub mod lib {
        include!(concat!(env!("OUT_DIR"), "/lenient_lib.rs"));
    }

    /// The proto `scalars`.
    pub mod scalars {
        include!(concat!(env!("OUT_DIR"), "/lenient_scalars.rs"));
    }
}

/// The tables of a proto.
#[derive(Debug, Clone, Copy)]
pub struct Tables {
    /// As the generator makes them.
    pub service: &'static ServiceSpec,
    /// The same, with a profile that ignores unknown fields.
    pub lenient: Option<&'static ServiceSpec>,
}

/// The tables of the proto that case files name so.
#[must_use]
pub fn tables(proto: &str) -> Option<Tables> {
    match proto {
        "a2a-v1" => Some(Tables {
            service: &a2a_kit::A2A_SERVICE,
            lenient: None,
        }),
        "a2a-v0.3" => Some(Tables {
            service: &a2a_kit::v0_3::A2A_SERVICE,
            lenient: None,
        }),
        "lib" => Some(Tables {
            service: &lib::LIB_SERVICE,
            lenient: Some(&lenient::lib::LIB_SERVICE),
        }),
        "scalars" => Some(Tables {
            service: &scalars::SC_SERVICE,
            lenient: Some(&lenient::scalars::SC_SERVICE),
        }),
        _ => None,
    }
}
