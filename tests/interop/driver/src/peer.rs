//! The agents that are driven, and what is particular to each.

use a2a_kit::ProtocolVersion;

use crate::report::Fault;

/// An agent: where its card is, and its habits.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) card_url: String,
    /// The version that is spoken with it.
    pub(crate) version: ProtocolVersion,
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
    /// The agent is built with an SDK of version 0.3. Such SDKs refuse as they like what that version
    /// has no error for, break streams off that they refuse over HTTP+JSON, do not look at media
    /// types, and hold a registration for missing when it was deleted.
    pub(crate) is_loose: bool,
    /// Over HTTP+JSON and gRPC (version 0.3) the agent takes bytes of files for base64 text and fails
    /// on others, tells no times, and neither lists registrations nor deletes them.
    pub(crate) puts_little_into_protos: bool,
    /// Over HTTP+JSON and gRPC (version 0.3) the agent drops names of files and metadata of parts,
    /// and over gRPC it reads `null` as zero.
    pub(crate) drops_part_details: bool,
    /// A message with another context than its task's moves the task there.
    pub(crate) takes_any_context: bool,
}

impl Peer {
    /// Reads `NAME=URL`, or a URL alone, which is a peer without habits.
    pub(crate) fn parse(argument: &str) -> Result<Self, Fault> {
        let (name, card_url) = match argument.split_once('=') {
            Some((name, url)) if !name.contains("://") => (name, url),
            _ => ("agent", argument),
        };
        let (kind, version) = match name.strip_suffix("-0.3") {
            Some(kind) => (kind, ProtocolVersion::V0_3),
            None => (name, ProtocolVersion::V1_0),
        };
        let habits = match (kind, version) {
            ("python", ProtocolVersion::V1_0) => Habits {
                follow_ups_open_with_an_update: true,
                cancels_once: true,
                slashes_part_paths: true,
                ..Habits::default()
            },
            ("python", _) => Habits {
                cancels_once: true,
                is_loose: true,
                puts_little_into_protos: true,
                ..Habits::default()
            },
            ("js", ProtocolVersion::V0_3) => Habits {
                cancels_once: true,
                is_loose: true,
                drops_part_details: true,
                takes_any_context: true,
                ..Habits::default()
            },
            ("js" | "rust" | "agent", _) => Habits::default(),
            _ => {
                return Err(Fault::new(format!(
                    "there is no peer {name:?}: name one of python, js and rust, with -0.3 behind it for that version, or give the URL alone"
                )));
            }
        };
        Ok(Self {
            name: name.to_owned(),
            card_url: card_url.to_owned(),
            version,
            habits,
        })
    }

    /// True when it is spoken to in version 0.3.
    pub(crate) fn is_old(&self) -> bool {
        self.version == ProtocolVersion::V0_3
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
