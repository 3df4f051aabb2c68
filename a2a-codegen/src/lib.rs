//! Reads annotated protos and writes the Rust code of an API: message types with their JSON,
//! service traits, routers and clients.
//!
//! The stages are `load` (bytes to descriptors), `lower` (descriptors to the [`model`], all
//! checks), `emit` (model to Rust) and `write` (Rust to files). Wrong input ends in
//! [`diagnostics::Diagnostics`], never in a panic. [`Builder`] is all of them, for a `build.rs`.

mod builder;
pub mod diagnostics;
pub mod emit;
pub mod load;
pub mod lower;
pub mod model;
pub mod plan;
pub mod profile;
pub mod report;
pub mod template;
pub mod write;

pub use builder::{AdapterBuilder, AdapterEmit, Builder, Document, Emit, Error, Version};
