//! An inventory: a service of one's own, whose server and client are generated from its proto.

pub mod inventory;
pub mod wire;

/// What the generator has written from `proto/inventory.proto`.
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/inventory.rs"));
}
