use a2a_kit::prelude::*;

/// Does things.
#[a2a_agent(
    name = "Agent",
    bindings(soap),
    input_modes("text"),
    provider(organization = "Example"),
)]
struct Agent;

#[a2a_skills]
impl Agent {
    /// Does it.
    #[skill(tag("a"), id = 3)]
    async fn act(&self, text: Text) -> Text {
        text
    }
}

fn main() {
    let _ = Agent::card();
    let _ = Agent.into_agent();
    let _ = Agent.act(Text::default());
}
