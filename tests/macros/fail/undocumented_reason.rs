use a2a_kit::prelude::*;

/// Does things.
#[a2a_agent(name = "Agent")]
struct Agent;

#[derive(Failure)]
enum Wrong {
    /// The text is empty.
    NoText,
    NoTime,
}

#[a2a_skills]
impl Agent {
    /// Does it.
    #[skill(tags("a"))]
    async fn act(&self, text: Text) -> Result<Text, Wrong> {
        match text.len() {
            0 => Err(Wrong::NoText),
            1 => Err(Wrong::NoTime),
            _ => Ok(text),
        }
    }
}

fn main() {
    let _ = Agent.into_agent();
}
