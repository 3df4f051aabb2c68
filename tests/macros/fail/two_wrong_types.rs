use a2a_kit::prelude::*;

/// Does things.
#[a2a_agent(name = "Agent")]
struct Agent;

#[a2a_skills]
impl Agent {
    /// Does it.
    #[skill(tags("a"))]
    async fn act(&self, times: u32, text: Text) -> usize {
        text.len() + times as usize
    }
}

fn main() {
    let _ = Agent::card();
    let _ = Agent.into_agent();
}
