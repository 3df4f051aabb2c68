//! Checks that others can run on what they build for this crate.

pub mod store;
