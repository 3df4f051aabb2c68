#![deny(dead_code)]

use a2a_kit::prelude::*;

/// Does things.
#[a2a_agent(name = "Agent", scheme(key, mtls), scheme(other, mtls), scheme("for-more", mtls))]
struct Agent;

#[a2a_skills]
impl Agent {
    /// Does it.
    #[skill(tags("a"), security(key))]
    async fn act(&self, text: Text) -> Text {
        text
    }

    /// Does it.
    #[skill(tags("a"), extended, security("for-more"))]
    async fn more(&self) {
        
    }
}

fn main() {
    let _ = Agent::card();
    let _ = Agent.into_agent();
    let _ = Agent.act(Text::default());
}
