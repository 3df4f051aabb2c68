use a2a_kit::prelude::*;

/// Does things.
#[a2a_agent(name = "Agent")]
struct Agent<T>(T);

fn main() {
    let _ = Agent(1).0;
}
