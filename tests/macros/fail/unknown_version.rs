use a2a_kit::prelude::*;

/// Does things.
#[a2a_agent(name = "Agent", versions("1.0", "2.0"))]
struct Agent;

#[a2a_skills]
impl Agent {
    /// Does it.
    #[skill(tags("a"))]
    async fn act(&self, text: Text) -> Text {
        text
    }
}

fn main() {
    let _ = Agent::card();
    let _ = Agent.into_agent();
    let _ = Agent.act(Text::default());
}
