//! Runs case files against the generated code.
//!
//! Comes in: files of the form of `tests/cases/data/transcoding.json`, or of `versions.json` there.
//! Goes out: a line for each
//! case that fails, and a line with the sums.
//!
//! - [`case`] reads a file.
//! - [`served`] sends requests through the HTTP+JSON router to the generated tables, [`called`] has
//!   the HTTP+JSON client write them, and [`generator`] gives declarations to the generator.
//! - [`generated`] holds the code that was generated when this crate was built.
//! - [`answer`] judges what came of it, with [`compare`] for messages.
//! - [`versions`] leads values, calls and errors from one version of A2A to the other.
//! - [`schema`] knows the descriptors, and [`text_format`] reads messages with them.

pub mod answer;
pub mod called;
pub mod case;
pub mod compare;
pub mod generated;
pub mod generator;
pub mod schema;
pub mod served;
pub mod text_format;
pub mod time;
pub mod versions;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use a2a_kit::ServiceSpec;

use case::{CaseFile, Expected, Work};
use generated::Tables;
use schema::{Schema, Schemas};
use versions::definitions::Definitions;

/// How many cases went which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    /// Right answers.
    pub passed: usize,
    /// Wrong answers, and cases that were not understood.
    pub failed: usize,
}

/// What came of a case.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A right answer.
    Passed,
    /// A wrong answer, or a case that was not understood.
    Failed(String),
}

/// Runs files, one after the other.
///
/// # Errors
/// A sentence, when a file cannot be read or is no case file; then nothing has been run.
pub fn run(files: &[impl AsRef<Path>], verbose: bool, out: &mut dyn Write) -> Result<Sums, String> {
    let mut texts = Vec::new();
    for file in files {
        let file = file.as_ref();
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{}: cannot be read: {error}", file.display()))?;
        texts.push(CaseFile::read(&text).map_err(|error| format!("{}: {error}", file.display()))?);
    }
    let runner = Runner::new()?;
    let mut sums = Sums::default();
    for file in &texts {
        runner
            .file(file, &mut |id, verdict| {
                sums.add(id, &verdict, verbose, out)
            })
            .map_err(|error| error.to_string())?;
    }
    writeln!(out, "{} passed, {} failed", sums.passed, sums.failed)
        .map_err(|error| error.to_string())?;
    Ok(sums)
}

impl Sums {
    fn add(
        &mut self,
        id: &str,
        verdict: &Verdict,
        verbose: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
        }
        match verdict {
            Verdict::Failed(why) => writeln!(out, "FAIL {id}: {why}"),
            Verdict::Passed if verbose => writeln!(out, "pass {id}"),
            Verdict::Passed => Ok(()),
        }
    }
}

/// Runs cases.
pub struct Runner {
    schemas: Schemas,
    definitions: Definitions,
    runtime: tokio::runtime::Runtime,
}

impl Runner {
    /// A runner for the protos that were compiled in.
    ///
    /// # Errors
    /// A sentence, when it cannot be made on this machine.
    pub fn new() -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        Ok(Self {
            schemas: Schemas::compiled_in()?,
            definitions: Definitions::new()?,
            runtime: runtime.map_err(|error| error.to_string())?,
        })
    }

    /// Runs the cases of a file, in their order.
    ///
    /// # Errors
    /// Those of `report`.
    pub fn file(
        &self,
        file: &CaseFile,
        report: &mut dyn FnMut(&str, Verdict) -> io::Result<()>,
    ) -> io::Result<()> {
        let departures = self.schemas.departures(&file.protos);
        for case in &file.cases {
            let verdict = match &case.work {
                Ok(work) => self.work(work, file, &departures),
                Err(why) => Verdict::Failed(format!(
                    "expected a case that can be run got another: {why}"
                )),
            };
            report(&case.id, verdict)?;
        }
        Ok(())
    }

    fn work(&self, work: &Work, file: &CaseFile, departures: &BTreeMap<String, String>) -> Verdict {
        let (proto, expected, ask) = match work {
            Work::Codegen { snippet, expected } => {
                let Some(prelude) = file.protos.get(generator::PRELUDE) else {
                    return Verdict::Failed(format!(
                        "expected a text protos.{} in the file got none",
                        generator::PRELUDE
                    ));
                };
                return verdict(answer::judge(
                    expected,
                    generator::accepts(prelude, snippet),
                ));
            }
            Work::Convert(case) => return verdict(self.converted(case)),
            Work::ClientEncode {
                proto,
                rpc,
                message,
                expected,
            } => (proto, expected, Ask::Call(rpc, message)),
            Work::ServerDecode {
                proto,
                request,
                expected,
            } => (proto, expected, Ask::Decode(request)),
            Work::ServerEncode {
                proto,
                rpc,
                response_text,
                expected,
            } => (proto, expected, Ask::Encode(rpc, response_text)),
        };
        let (tables, schema) = match self.tables(proto, departures) {
            Ok(found) => found,
            Err(why) => return Verdict::Failed(why),
        };
        let mut outcome = self.served(tables.service, schema, expected, &ask);
        // Unknown fields of these protos are faults only where a case says so.
        if let (Err(_), Some(Expected::Call { .. }), Some(lenient)) =
            (&outcome, expected.first(), tables.lenient)
        {
            outcome = self.served(lenient, schema, expected, &ask);
        }
        verdict(outcome)
    }

    fn converted(&self, case: &versions::case::Case) -> Result<(), String> {
        let tools = versions::Tools {
            schemas: &self.schemas,
            definitions: &self.definitions,
        };
        let run = || self.runtime.block_on(versions::run(case, &tools));
        catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|_| Err("expected an answer got a panic".to_owned()))
    }

    fn served(
        &self,
        service: &'static ServiceSpec,
        schema: &Schema,
        expected: &[Expected],
        ask: &Ask<'_>,
    ) -> Result<(), String> {
        let answer = catch_unwind(AssertUnwindSafe(|| {
            self.runtime.block_on(async {
                match ask {
                    Ask::Decode(request) => served::decode(service, schema, request).await,
                    Ask::Encode(rpc, text) => served::encode(service, schema, rpc, text).await,
                    Ask::Call(rpc, message) => called::encode(service, schema, rpc, message).await,
                }
            })
        }));
        // What was said about a panic is on standard error.
        answer::judge(
            expected,
            answer.unwrap_or_else(|_| Err("a panic".to_owned())),
        )
    }

    /// The generated tables of a proto, and its descriptors.
    fn tables(
        &self,
        proto: &str,
        departures: &BTreeMap<String, String>,
    ) -> Result<(Tables, &Schema), String> {
        let tables = generated::tables(proto).ok_or_else(|| {
            format!(
                "expected a known proto got {proto:?}; known are a2a-v1, a2a-v0.3, lib and scalars"
            )
        })?;
        if let Some(departure) = departures.get(proto) {
            return Err(format!(
                "expected the proto of this build got another: {departure}"
            ));
        }
        let schema = self
            .schemas
            .get(proto)
            .ok_or_else(|| format!("there is no descriptor set of {proto}"))?;
        Ok((tables, schema))
    }
}

/// What is asked of a router or a client.
enum Ask<'a> {
    Decode(&'a case::Request),
    Encode(&'a str, &'a str),
    Call(&'a str, &'a serde_json::Value),
}

fn verdict(outcome: Result<(), String>) -> Verdict {
    match outcome {
        Ok(()) => Verdict::Passed,
        Err(why) => Verdict::Failed(why),
    }
}
