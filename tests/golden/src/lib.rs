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

#[cfg(test)]
mod tests;
