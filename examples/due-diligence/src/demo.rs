//! `due-diligence demo`: the agent and a client in one process, over a real socket.
//!
//! The client knows an address and nothing else: what the agent can do, where it is called and how
//! is in its card.

use std::error::Error;

use a2a_kit::client::{Client, Outcome};
use a2a_kit::v1_0::Task;
use tokio::net::TcpListener;

use crate::agent::{DueDiligence, SKILL};

type BoxError = Box<dyn Error + Send + Sync>;

/// Plays the conversation and prints its trace.
pub(crate) async fn run() -> Result<(), BoxError> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        // The sender is dropped at the end of the conversation.
        let end = async { drop(stopped.await) };
        DueDiligence.into_agent().serve_until(listener, end).await
    });
    let played = play(&format!("http://{address}")).await;
    drop(stop);
    serving.await??;
    for line in played? {
        println!("{line}");
    }
    Ok(())
}

async fn play(url: &str) -> Result<Vec<String>, BoxError> {
    let client = Client::connect(url).await?;
    let (card, interface) = (client.card(), client.interface());
    let skill = card.skills.first().ok_or("the card lists no skill")?;
    let mut trace = vec![
        format!("发现: {} / {}", card.name, skill.id),
        format!(
            "协商: {} A2A {}",
            interface.protocol_binding, interface.protocol_version
        ),
    ];
    if skill.id != SKILL {
        return Err(format!("the card lists the skill {}, not {SKILL}", skill.id).into());
    }

    let first = client.message("请尽调星河科技").send().await?.into_task()?;
    trace.push(format!("第一轮: {}", state(&first)));

    let second = client
        .message("地区：中国")
        .in_task(&first.id)
        .in_context(&first.context_id)
        .send()
        .await?
        .into_task()?;
    trace.push(format!("第二轮: {}", state(&second)));
    let report = Outcome::Task(second).text();
    trace.extend(report.lines().map(str::to_owned));
    Ok(trace)
}

/// The state of a task, as it is written on the wire.
fn state(task: &Task) -> &'static str {
    task.state().as_str_name()
}
