//! The agent: its card, and what it does with a message.

use a2a_kit::prelude::*;

use crate::check::{Ending, Step, next_step};

/// The one skill of the agent.
pub(crate) const SKILL: &str = "supplier-due-diligence";

/// Checks suppliers, in Chinese and English. An example of a2a-kit: its answers are made up.
#[a2a_agent(
    name = "供应商尽调 Agent",
    input_modes("text/plain"),
    output_modes("text/plain"),
    capabilities(streaming, push_notifications = false)
)]
#[derive(Debug, Default)]
pub(crate) struct DueDiligence;

#[a2a_skills]
impl DueDiligence {
    /// Checks one supplier and writes a report of three lines; asks for the region when it is missing.
    #[skill(
        id = "supplier-due-diligence",
        name = "Supplier check",
        tags("procurement", "risk"),
        input_modes("text/plain"),
        examples("请尽调星河科技", "Check Star River Tech, region: China")
    )]
    async fn check(
        &self,
        task: &TaskContext,
        request: Text,
        // Papers that came along are kept in the task; nobody reads them.
        _papers: Option<Parts>,
    ) -> Result<Reply, SkillError> {
        // Nothing is kept between the turns: what was said before is in the task.
        let earlier: Vec<String> = task.turns().map(|turn| turn.text()).collect();
        match next_step(earlier.iter().map(String::as_str).chain([&*request])) {
            Step::Ask(question) => Ok(Reply::input_required(question)),
            Step::Report(report) => {
                task.working(report.progress()).await?;
                let report_file = artifact("due-diligence-report", report.text());
                Ok(Reply::completed()
                    .with_artifact(report_file)
                    .with_message(report.done()))
            }
            Step::Ending(Ending::Reject) => Ok(Reply::rejected(
                "This agent checks suppliers and nothing else",
            )),
            Step::Ending(Ending::Fail) => Err(SkillError::new(
                "The register of suppliers cannot be reached",
            )),
            Step::Ending(Ending::Slow) => {
                task.working("This takes until you cancel it").await?;
                task.cancellation().cancelled().await;
                Err(SkillError::new("The check was canceled"))
            }
        }
    }
}
