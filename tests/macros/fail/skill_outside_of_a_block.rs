use a2a_kit::prelude::*;

/// Does things.

struct Agent;


impl Agent {
    /// Does it.
    #[skill(tags("a"))]
    async fn act(&self, text: Text) -> Text {
        text
    }
}

fn main() {
    let _ = Agent::act;
}
