//! What an agent crate uses: `use a2a_kit::prelude::*;`.

pub use crate::agent::{Reply, TaskContext, artifact};
pub use crate::skills::{Chunks, File, Json, Message, Parts, SkillError, Text};
pub use crate::{Failure, a2a_agent, a2a_skills, skill};
