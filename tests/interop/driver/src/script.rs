//! What is said in the due-diligence conversation, in two languages.

use a2a_kit::v1_0::part::Content;
use a2a_kit::v1_0::{Message, Part, Role, Task};

use crate::report::{Checked, Fault, ensure, equal};

pub(crate) const ARTIFACT: &str = "due-diligence-report";
pub(crate) const SKILL: &str = "supplier-due-diligence";

/// One language's way through the conversation.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) request: &'static str,
    pub(crate) answer: &'static str,
    /// What the question of the first turn names.
    pub(crate) question_names: &'static str,
    pub(crate) report: &'static str,
}

pub(crate) const CHINESE: Script = Script {
    request: "请尽调星河科技",
    answer: "地区：中国",
    question_names: "地区",
    report: "供应商：星河科技\n注册地区：中国\n教学结论：未发现高风险项",
};

pub(crate) const ENGLISH: Script = Script {
    request: "Check Star River Tech",
    answer: "region: China",
    question_names: "region",
    report: "Supplier: Star River Tech\nRegistered region: China\nTeaching conclusion: no high-risk items found",
};

/// Characters that end lines somewhere, that JSON escapes, or that are more than one unit of
/// UTF-16.
pub(crate) const AWKWARD: &str = "quote \" backslash \\ slash / tab \t newline \r\n null-like \u{1} line \u{2028} paragraph \u{2029} next \u{85} emoji 👩‍👩‍👧 del \u{7f} data: x";

impl Script {
    /// Checks that the task holds the report, and nothing else.
    pub(crate) fn check_report(&self, task: &Task) -> Checked {
        equal("number of artifacts", task.artifacts.len(), 1)?;
        let artifact = &task.artifacts[0];
        equal("name of the artifact", artifact.name.as_str(), ARTIFACT)?;
        ensure(!artifact.artifact_id.is_empty(), || {
            "the artifact has no id".to_owned()
        })?;
        equal("the report", text(&artifact.parts), self.report)
    }

    /// Checks that the task asks for what is missing.
    pub(crate) fn check_question(&self, task: &Task) -> Checked {
        let message = task
            .status
            .as_ref()
            .and_then(|status| status.message.as_ref());
        let message = message.ok_or_else(|| Fault::new("the status has no message"))?;
        equal("role of the question", message.role(), Role::Agent)?;
        let question = text(&message.parts).to_lowercase();
        ensure(question.contains(self.question_names), || {
            format!(
                "the question is {question:?}, and names no {:?}",
                self.question_names
            )
        })
    }
}

/// The texts among parts, one per line.
pub(crate) fn text(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match &part.content {
        Some(Content::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What the user said, as the task's history has it.
pub(crate) fn said(task: &Task) -> Vec<String> {
    let by_user = |message: &&Message| message.role() == Role::User;
    let messages = task.history.iter().filter(by_user);
    messages.map(|message| text(&message.parts)).collect()
}
