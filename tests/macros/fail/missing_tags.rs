use a2a_kit::prelude::*;

/// Does things.
#[a2a_agent(name = "Agent")]
struct Agent;

#[a2a_skills]
impl Agent {
    /// Does it.
    #[skill(id = "act")]
    async fn act(&self, text: Text) -> Text {
        text
    }
}

fn main() {
    let _ = Agent::card();
    let _ = Agent.into_agent();
    let _ = Agent.act(Text::default());
}
