//! The agents that are driven, and what is particular to each.

use crate::report::Fault;

/// An agent: where its card is, and its habits.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) card_url: String,
    pub(crate) habits: Habits,
}

/// Where a peer does something else than the specification says, or than others do where the
/// specification contradicts itself. A habit is expected of its peer, not merely allowed: when a
/// newer SDK drops it, its step fails, and the habit goes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Habits {
    /// The stream that answers a message to a known task opens with an update. Section 3.1.2 wants
    /// the task first; `a2a-sdk` 1.3.0 (Python) sends it for new tasks alone, and drops the ones
    /// that an agent publishes later.
    pub(crate) follow_ups_open_with_an_update: bool,
    /// Cancel of a canceled task is refused with `TaskNotCancelable`, as the errors of section 3.1.5
    /// say. Section 3.3.1 calls the operation idempotent, which is what the others go by.
    pub(crate) cancels_once: bool,
    /// Over HTTP+JSON a slash within an id parts the path although it comes as `%2F`, so that no
    /// route fits: Python's web servers hand out paths decoded.
    pub(crate) slashes_part_paths: bool,
}

impl Peer {
    /// Reads `NAME=URL`, or a URL alone, which is a peer without habits.
    pub(crate) fn parse(argument: &str) -> Result<Self, Fault> {
        let (name, card_url) = match argument.split_once('=') {
            Some((name, url)) if !name.contains("://") => (name, url),
            _ => ("agent", argument),
        };
        let habits = match name {
            "python" => Habits {
                follow_ups_open_with_an_update: true,
                cancels_once: true,
                slashes_part_paths: true,
            },
            "js" | "rust" | "agent" => Habits::default(),
            other => {
                return Err(Fault::new(format!(
                    "there is no peer {other:?}: name one of python, js and rust, or give the URL alone"
                )));
            }
        };
        Ok(Self {
            name: name.to_owned(),
            card_url: card_url.to_owned(),
            habits,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_urls() {
        let cases = [
            ("python=http://h/c", Some(("python", "http://h/c", true))),
            ("js=http://h/c?a=b", Some(("js", "http://h/c?a=b", false))),
            ("http://h/c?a=b", Some(("agent", "http://h/c?a=b", false))),
            ("pyhton=http://h/c", None),
        ];
        for (argument, wanted) in cases {
            let peer = Peer::parse(argument).ok();
            let got = peer.as_ref().map(|peer| {
                (
                    peer.name.as_str(),
                    peer.card_url.as_str(),
                    peer.habits.cancels_once,
                )
            });
            assert_eq!(got, wanted, "{argument}");
        }
    }
}
