//! What stands in the rules file, and what it makes of values.

use a2a_kit::v1_0;
use a2a_kit::wire::adapt::{self, Options};
use next_version::v1_1;

const RULES: &str = include_str!("../../../golden/protos/a2a/v1.0-to-v1.1.toml");

#[test]
fn five_lines_say_it_all() {
    let lines = RULES.lines().map(str::trim);
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    assert!(said.count() <= 5, "{RULES}");
}

fn told(losses: &[adapt::Loss]) -> Vec<String> {
    losses
        .iter()
        .map(|loss| format!("{} {}", loss.id, loss.path))
        .collect()
}

#[test]
fn going_down_tells_what_version_1_0_cannot_hold() {
    let paused = || v1_1::TaskStatus::new().with_state(v1_1::TaskState::Paused);
    let task = v1_1::Task::new()
        .with_id("t1")
        .with_priority(0)
        .with_status(paused())
        .with_artifacts([v1_1::Artifact::new().with_summary("s")]);
    let (old, losses): (v1_0::Task, _) = adapt::down(task, &Options::default()).unwrap();
    assert_eq!(told(&losses), ["N1 priority", "N1 status.state"]);
    assert_eq!(losses[0].detail, "what version 1.1 added");
    assert_eq!(old.artifacts[0].description, "s");
    assert_eq!(
        old.status.as_ref().unwrap().state(),
        v1_0::TaskState::Working
    );

    let (filter, losses): (v1_0::ListTasksRequest, _) = adapt::down(
        v1_1::ListTasksRequest::new().with_status(v1_1::TaskState::Paused),
        &Options::default(),
    )
    .unwrap();
    assert_eq!(told(&losses), ["N1 status"]);
    assert_eq!(filter.status(), v1_0::TaskState::Working);
}

#[test]
fn what_version_1_0_can_hold_comes_back_as_it_was() {
    let task = v1_0::Task::new()
        .with_id("t1")
        .with_status(v1_0::TaskStatus::new().with_state(v1_0::TaskState::AuthRequired))
        .with_artifacts([v1_0::Artifact::new()
            .with_artifact_id("a")
            .with_name("n")
            .with_description("s")
            .with_parts([
                v1_0::Part::text("p"),
                v1_0::Part::url("https://example.com"),
            ])]);
    let (new, losses): (v1_1::Task, _) = adapt::up(task.clone(), &Options::default()).unwrap();
    assert_eq!(losses, []);
    assert_eq!(new.artifacts[0].summary, "s");
    assert_eq!(new.priority, None);
    let (old, losses): (v1_0::Task, _) = adapt::down(new, &Options::default()).unwrap();
    assert_eq!(losses, []);
    assert_eq!(old, task);
}
