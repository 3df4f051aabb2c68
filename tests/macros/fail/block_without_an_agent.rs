use a2a_kit::prelude::*;

/// Does things.

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
    let _ = Agent.act(Text::default());
}
