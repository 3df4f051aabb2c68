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

#[cfg(test)]
mod client_tests;
#[cfg(test)]
mod json_tests;
#[cfg(test)]
mod query_tests;
#[cfg(test)]
mod tests;
