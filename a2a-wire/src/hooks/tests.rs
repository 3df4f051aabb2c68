//! Hooks note the losses that the rules declare for them, and no others.

use std::collections::BTreeSet;

use super::*;

/// The losses that a row of the rules declares: `"U7"` in `loss = { up = "U7" }`.
fn declared(row: &str) -> BTreeSet<&str> {
    let ids = row.split('"').skip(1).step_by(2);
    ids.filter(|text| {
        let digits = text.strip_prefix(['U', 'D']).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
    .collect()
}

#[test]
fn losses_of_times_are_those_of_their_rule() {
    let rules = include_str!("../../../proto/a2a/v0.3-to-v1.0.toml");
    let row = rules.lines().find(|row| row.contains("lenient_time"));
    let declared = declared(row.unwrap_or_default());
    assert_eq!(
        declared,
        json_lenient_time::LOSSES.iter().copied().collect()
    );
}

#[test]
fn losses_of_hooks_are_those_of_their_rules() {
    let rules = include_str!("../../../proto/a2a/v0.3-to-v1.0.toml");
    // A hook for a message has a table, one for fields has rows that name it.
    let declared_for = |hook: &str| -> BTreeSet<&str> {
        let table = rules
            .split("\n[")
            .find_map(|table| table.strip_prefix(&format!("hook.{hook}]")).map(declared));
        table.unwrap_or_else(|| {
            let named = format!("hook = \"{hook}\"");
            let rows: Vec<&str> = rules.lines().filter(|row| row.contains(&named)).collect();
            assert!(!rows.is_empty(), "no rule names the hook {hook}");
            rows.into_iter().flat_map(declared).collect()
        })
    };
    for (hook, losses, also) in [
        ("card_endpoints", card_endpoints::LOSSES, &[][..]),
        ("create_push_config", create_push_config::LOSSES, &[]),
        ("final_of_state", final_of_state::LOSSES, &[]),
        // The mark of a user's own cannot be told from ours.
        ("part", part::LOSSES, &["U7", "U9", "U11"]),
        ("role", role::LOSSES, &[]),
        ("role", json_role::LOSSES, &[]),
        ("security_requirements", security_requirements::LOSSES, &[]),
        ("security_schemes", security_schemes::LOSSES, &[]),
        // The same in the JSON of the schema; what the generated codecs inside note is theirs.
        (
            "create_push_config",
            json_create_push_config::LOSSES,
            &["D1"],
        ),
        ("oauth_flows", json_oauth_flows::LOSSES, &[]),
        ("part", json_part::LOSSES, &["U11", "U7"]),
        (
            "security_requirement",
            json_security_requirement::LOSSES,
            &[],
        ),
        (
            "security_requirements",
            json_security_requirements::LOSSES,
            &[],
        ),
        ("security_scheme", json_security_scheme::LOSSES, &[]),
        ("security_schemes", json_security_schemes::LOSSES, &[]),
    ] {
        let noted: BTreeSet<&str> = losses.iter().chain(also).copied().collect();
        assert_eq!(noted, declared_for(hook), "{hook}");
    }
}
