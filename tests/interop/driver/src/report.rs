//! Counting, printing and comparing: what every step uses.
//!
//! Comes in: what a step found. Goes out: a line for each step, and how many there were.

use std::error::Error;
use std::fmt::{self, Debug};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a check comes to.
pub(crate) type Checked<T = ()> = Result<T, Fault>;

/// Why a step failed.
#[derive(Debug)]
pub(crate) struct Fault(String);

impl Fault {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The same, and where it was seen.
    pub(crate) fn within(self, place: &str) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: Error> From<E> for Fault {
    /// The error with everything that caused it.
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let line = error.to_string();
            if !text.ends_with(&line) {
                text = format!("{text}: {line}");
            }
            cause = error.source();
        }
        Self(text)
    }
}

/// A step failed and is reported; the rest of its scenario is left out.
#[derive(Debug)]
pub(crate) struct Abandoned;

/// What scenarios come to.
pub(crate) type Played<T = ()> = Result<T, Abandoned>;

/// How many steps there were in all.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    passed: AtomicUsize,
    failed: AtomicUsize,
}

impl Counts {
    pub(crate) fn passed(&self) -> usize {
        self.passed.load(Ordering::Relaxed)
    }

    pub(crate) fn failed(&self) -> usize {
        self.failed.load(Ordering::Relaxed)
    }
}

/// The steps of one scenario.
#[derive(Debug, Clone)]
pub(crate) struct Steps {
    scenario: Arc<str>,
    counts: Arc<Counts>,
}

impl Steps {
    pub(crate) fn new(scenario: impl Into<Arc<str>>, counts: &Arc<Counts>) -> Self {
        Self {
            scenario: scenario.into(),
            counts: Arc::clone(counts),
        }
    }

    /// Takes a step: does the work, prints a line, counts.
    pub(crate) async fn step<T>(
        &self,
        name: &str,
        work: impl Future<Output = Checked<T>>,
    ) -> Played<T> {
        match work.await {
            Ok(value) => {
                self.counts.passed.fetch_add(1, Ordering::Relaxed);
                println!("ok   {}: {name}", self.scenario);
                Ok(value)
            }
            Err(fault) => {
                self.fail(name, &fault);
                Err(Abandoned)
            }
        }
    }

    pub(crate) fn fail(&self, name: &str, Fault(why): &Fault) {
        self.counts.failed.fetch_add(1, Ordering::Relaxed);
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        println!("FAIL {}: {name}: {why}", self.scenario);
    }
}

/// Checks that something is as it should be.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers hand in temporaries and references alike"
)]
pub(crate) fn equal<A, B>(what: &str, got: A, wanted: B) -> Checked
where
    A: PartialEq<B> + Debug,
    B: Debug,
{
    if got == wanted {
        Ok(())
    } else {
        Err(Fault::new(format!(
            "{what} is {got:?}, expected {wanted:?}"
        )))
    }
}

/// Checks a condition, whose failing is told by a text.
pub(crate) fn ensure(condition: bool, otherwise: impl FnOnce() -> String) -> Checked {
    if condition {
        Ok(())
    } else {
        Err(Fault::new(otherwise()))
    }
}

/// Checks that marks occur in a trail in this order.
pub(crate) fn in_order(trail: &[String], wanted: &[&str]) -> Checked {
    let mut rest = trail.iter();
    for mark in wanted {
        ensure(rest.any(|seen| seen == mark), || {
            format!("{wanted:?} is not seen in this order within {trail:?}")
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_within_a_trail() {
        let trail = ["a", "b", "c"].map(str::to_owned);
        let cases: [(&[&str], bool); 4] = [
            (&["a", "c"], true),
            (&[], true),
            (&["c", "a"], false),
            (&["a", "a"], false),
        ];
        for (wanted, fits) in cases {
            assert_eq!(in_order(&trail, wanted).is_ok(), fits, "{wanted:?}");
        }
    }

    #[tokio::test]
    async fn steps_are_counted_and_end_their_scenario_when_they_fail() {
        let counts = Arc::new(Counts::default());
        let steps = Steps::new("s", &counts);
        assert_eq!(steps.step("1", async { Ok(7) }).await.ok(), Some(7));
        let failed = steps.step("2", async { equal("x", 1, 2) }).await;
        assert!(failed.is_err());
        assert_eq!((counts.passed(), counts.failed()), (1, 1));
    }
}
