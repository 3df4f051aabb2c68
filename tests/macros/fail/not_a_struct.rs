use a2a_kit::prelude::*;

/// Does things.
#[a2a_agent(name = "Agent")]
enum Agent {
    Only,
}

fn main() {
    let _ = Agent::Only;
}
