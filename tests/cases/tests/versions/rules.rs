//! The losses that the rules file declares, and those that cases show.

use std::collections::BTreeSet;
use std::path::Path;

use cases::case::{CaseFile, Work};
use cases::versions::case::Direction;

const RULES: &str = include_str!("../../../../proto/a2a/v0.3-to-v1.0.toml");

/// The ids below a heading of the rules file.
fn declared(heading: &str) -> BTreeSet<String> {
    let mut lines = RULES.lines().skip_while(|line| *line != heading);
    assert_eq!(lines.next(), Some(heading));
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = "))
        .map(|(id, _)| id.to_owned())
        .collect()
}

#[test]
fn every_loss_is_shown_by_a_case() {
    let mut shown = [BTreeSet::new(), BTreeSet::new()];
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    for name in ["versions.json", "more_versions.json"] {
        let text = std::fs::read_to_string(data.join(name)).unwrap();
        for case in CaseFile::read(&text).unwrap().cases {
            let Work::Convert(case) = case.work.unwrap() else {
                panic!("{name}: {} is no case of two versions", case.id);
            };
            shown[usize::from(case.direction == Direction::Down)].extend(case.losses);
        }
    }
    let [up, down] = shown;
    let mut can_be_seen = declared("[loss.up]");
    // Whose mark it is, ours or the user's, nobody can tell.
    assert!(can_be_seen.remove("U11"));
    // What is lost on both ways is shown on one of them at least.
    let both = declared("[loss.both]");
    assert!(both.iter().all(|id| up.contains(id) || down.contains(id)));
    assert_eq!(&up - &both, can_be_seen);
    assert_eq!(&down - &both, declared("[loss.down]"));
}
