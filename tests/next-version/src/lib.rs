//! A version 1.1 of A2A that nobody has published, as one who drops it in has it: messages, service,
//! routes and client from its proto; and from five rules what makes of it a version 1.0, and of a
//! version 1.0 a version 1.1.

/// Version 1.1.
pub mod v1_1 {
    include!(concat!(env!("OUT_DIR"), "/v1_1.rs"));
}

/// Version 1.0, in terms of version 1.1. Its messages are those of `a2a_kit::v1_0`.
pub mod v1_0 {
    include!(concat!(env!("OUT_DIR"), "/v1_0.rs"));
}
