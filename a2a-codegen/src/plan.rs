//! What has to happen to get from one version of a protocol to the next one, and back.
//!
//! Comes in: the models of an older and a newer version, and the rules that say what names do not.
//! Goes out: a [`ConversionPlan`](model::ConversionPlan), or every field that neither a name nor a
//! rule accounts for. Nothing is ever matched by its number.

pub mod model;
