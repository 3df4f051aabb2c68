use a2a_kit::prelude::*;

#[derive(serde::Serialize, serde::Deserialize)]
struct Facts {
    region: String,
}

/// Does things.
#[a2a_agent(name = "Agent")]
struct Agent;

#[a2a_skills]
impl Agent {
    /// Does it.
    #[skill(tags("a"))]
    async fn act(&self, facts: Json<Facts>) -> String {
        facts.0.region
    }
}

fn main() {
    let _ = Agent::card();
    let _ = Agent.into_agent();
}
