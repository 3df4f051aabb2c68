//! What an agent crate uses: `use a2a_kit::prelude::*;`.

pub use crate::agent::{Reply, TaskContext, artifact};
pub use crate::skills::{Chunks, File, Json, Message, Parts, SkillError, Text};
