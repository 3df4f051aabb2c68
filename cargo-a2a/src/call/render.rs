//! What an agent answers, for people or for programs.
//!
//! Comes in: tasks, messages, updates. Goes out: texts as they come, data as JSON, files on disk or
//! named; results on standard output, everything else beside it. What an agent writes is shown without
//! what a terminal would obey.

use std::path::Path;

use a2a_kit::client::Update;
use a2a_kit::v1_0::part::Content;
use a2a_kit::v1_0::{
    Artifact, Message, Part, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
};

use super::ending;
use super::save::Saver;
use crate::agent::json_of;
use crate::console::{Console, Style};
use crate::exit::Failure;
use crate::text;

/// How much of a text, or of data, is shown. `--json` has it all.
const LONGEST_TEXT: usize = 1 << 20;
/// How much of what an agent says beside its results.
const LONGEST_WORDS: usize = 2 << 10;

/// Shows answers.
pub(super) struct Renderer<'r, 'c> {
    pub(super) console: &'r mut Console<'c>,
    json: bool,
    saver: Option<Saver>,
    /// The artifact whose text is being written.
    artifact: Option<String>,
    /// Artifacts were shown.
    results: bool,
    /// The last status that was told.
    told: Option<String>,
}

impl<'r, 'c> Renderer<'r, 'c> {
    pub(super) fn new(
        console: &'r mut Console<'c>,
        json: bool,
        save: Option<&Path>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            console,
            json,
            saver: save.map(Saver::new).transpose()?,
            artifact: None,
            results: false,
            told: None,
        })
    }

    /// Shows an update as it comes.
    pub(super) fn update(&mut self, update: &Update) -> Result<(), Failure> {
        if self.json {
            let event = match update.clone() {
                Update::Task(task) => StreamResponse::task(task),
                Update::Message(message) => StreamResponse::message(message),
                Update::Status(update) => StreamResponse::status_update(update),
                Update::Artifact(update) => StreamResponse::artifact_update(update),
            };
            self.console.json(&json_of(event)?)?;
        }
        match update {
            Update::Task(task) => {
                self.status(&task.id, task.status.as_ref())?;
                for artifact in &task.artifacts {
                    self.artifact(artifact, false)?;
                }
            }
            Update::Message(message) => self.message(message)?,
            Update::Status(update) => self.status(&update.task_id, update.status.as_ref())?,
            Update::Artifact(update) => self.piece(update)?,
        }
        Ok(())
    }

    /// Shows a task that has come as a whole; its JSON has been printed by the caller.
    pub(super) fn task(&mut self, task: &Task) -> Result<(), Failure> {
        for artifact in &task.artifacts {
            self.artifact(artifact, false)?;
        }
        Ok(())
    }

    /// Shows a message in the place of a task.
    pub(super) fn message(&mut self, message: &Message) -> Result<(), Failure> {
        self.parts(&message.parts)?;
        self.end()
    }

    fn status(&mut self, task: &str, status: Option<&TaskStatus>) -> Result<(), Failure> {
        let Some(status) = status.filter(|_| !self.json) else {
            return Ok(());
        };
        let words = status
            .message
            .as_ref()
            .map(|message| words(&message.parts))
            .unwrap_or_default();
        let state = ending::name(status.state());
        let told = match words.as_str() {
            "" => format!("task {}: {state}", text::bounded_line(task, 200)),
            words => format!("{state}: {words}"),
        };
        // The end is told by who knows how to go on.
        if ending::is_busy(status.state()) && self.told.as_ref() != Some(&told) {
            self.console.news(&told)?;
            self.told = Some(told);
        }
        Ok(())
    }

    fn piece(&mut self, update: &TaskArtifactUpdateEvent) -> Result<(), Failure> {
        match &update.artifact {
            Some(artifact) => self.artifact(artifact, update.append),
            None => Ok(()),
        }
    }

    fn artifact(&mut self, artifact: &Artifact, append: bool) -> Result<(), Failure> {
        let same = self.artifact.as_ref() == Some(&artifact.artifact_id);
        if !(self.json || append && same) {
            self.console.end_line()?;
            if !artifact.name.is_empty() {
                let name = text::bounded_line(&artifact.name, 200);
                let label = self.console.paint_note(Style::Dim, "artifact");
                self.console.note(&format!("{label} {name}"))?;
            }
        }
        self.artifact = Some(artifact.artifact_id.clone());
        self.results |= !artifact.parts.is_empty();
        self.parts(&artifact.parts)
    }

    fn parts(&mut self, parts: &[Part]) -> Result<(), Failure> {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 && !self.json {
                self.console.end_line()?;
            }
            self.part(part)?;
        }
        Ok(())
    }

    fn part(&mut self, part: &Part) -> Result<(), Failure> {
        if let Some(Content::Raw(bytes)) = &part.content {
            return self.file(part, bytes);
        }
        if self.json {
            return Ok(());
        }
        match &part.content {
            Some(Content::Text(text)) => self.console.print(&text::bounded(text, LONGEST_TEXT))?,
            Some(Content::Data(data)) => {
                let json = serde_json::to_string_pretty(&data.0).map_err(Failure::tool)?;
                let (kept, rest) = text::cut(&json, LONGEST_TEXT);
                self.console.end_line()?;
                self.console.line(&text::json(kept))?;
                if rest > 0 {
                    self.console
                        .note(&format!("{rest} bytes of data more; --json has them"))?;
                }
            }
            // Whoever wrote the address may want it to be called; that is for people to decide.
            Some(Content::Url(url)) => {
                let file = self.named(part);
                self.console
                    .line(&format!("{file} at {}", text::bounded_line(url, 2000)))?;
            }
            Some(Content::Raw(_)) | None => {}
        }
        Ok(())
    }

    /// Saves a file, or says that there is one.
    fn file(&mut self, part: &Part, bytes: &[u8]) -> Result<(), Failure> {
        let named = self.named(part);
        let size = bytes.len();
        let note = match &mut self.saver {
            Some(saver) => {
                let path = saver.save(&part.filename, &part.media_type, bytes)?;
                format!(
                    "saved {} ({size} bytes)",
                    text::safe(&path.display().to_string())
                )
            }
            None if self.json => return Ok(()),
            None => format!("{named}, {size} bytes; --save FOLDER saves it"),
        };
        Ok(self.console.note(&note)?)
    }

    fn named(&self, part: &Part) -> String {
        let name = text::bounded_line(&part.filename, 200);
        let media_type = text::bounded_line(&part.media_type, 200);
        match (name.as_str(), media_type.as_str()) {
            ("", "") => "a file".to_owned(),
            ("", media_type) => format!("a file ({media_type})"),
            (name, "") => format!("file {name}"),
            (name, media_type) => format!("file {name} ({media_type})"),
        }
    }

    /// Ends what has been written, so that something else can follow.
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        if !self.json {
            self.console.end_line()?;
        }
        self.artifact = None;
        Ok(())
    }

    /// Says how a task stands now. What the agent says about it is the result when there is no other.
    pub(super) fn standing(
        &mut self,
        task: &str,
        status: Option<&TaskStatus>,
    ) -> Result<(), Failure> {
        self.end()?;
        if self.json {
            return Ok(());
        }
        let state = status.map_or(TaskState::Unspecified, TaskStatus::state);
        let said = status.and_then(|status| status.message.as_ref());
        let mut told = format!(
            "task {}: {}",
            text::bounded_line(task, 200),
            ending::name(state)
        );
        match said {
            Some(message) if state == TaskState::Completed && !self.results => {
                self.message(message)?;
            }
            Some(message) => {
                let words = words(&message.parts);
                if !words.is_empty() {
                    told.push_str(": ");
                    told.push_str(&words);
                }
            }
            None => {}
        }
        let style = match state {
            TaskState::Completed => Style::Good,
            TaskState::Failed | TaskState::Rejected | TaskState::Canceled => Style::Bad,
            _ => Style::Warn,
        };
        let told = self.console.paint_note(style, &told);
        self.console.note(&told)?;
        self.results = false;
        Ok(())
    }
}

/// What is said in texts, in one line.
pub(super) fn words(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match &part.content {
        Some(Content::Text(text)) => Some(text::bounded_line(text, LONGEST_WORDS)),
        _ => None,
    });
    let words: Vec<String> = texts.take(20).collect();
    text::bounded_line(&words.join(" "), LONGEST_WORDS)
}
