use super::*;

const V1_0: ProtocolVersion = ProtocolVersion::V1_0;
const V0_3: ProtocolVersion = ProtocolVersion::V0_3;
const ALL: [Binding; 3] = [Binding::JsonRpc, Binding::Rest, Binding::Grpc];

fn interfaces(list: &[(&str, &str)]) -> Vec<AgentInterface> {
    let interface = |(binding, version): &(&str, &str)| {
        AgentInterface::new()
            .with_protocol_binding(*binding)
            .with_protocol_version(*version)
    };
    list.iter().map(interface).collect()
}

fn speaks(bindings: &[Binding], versions: &[ProtocolVersion]) -> Vec<(Binding, ProtocolVersion)> {
    bindings
        .iter()
        .flat_map(|binding| versions.iter().map(|version| (*binding, *version)))
        .collect()
}

fn order(selection: &Selection) -> Vec<usize> {
    selection
        .choices
        .iter()
        .map(|choice| choice.index)
        .collect()
}

struct Case {
    name: &'static str,
    card: &'static [(&'static str, &'static str)],
    preferences: Preferences,
    bindings: &'static [Binding],
    versions: &'static [ProtocolVersion],
    /// Places in the card, best first.
    chosen: &'static [usize],
}

impl Default for Case {
    fn default() -> Self {
        Self {
            name: "",
            card: &[],
            preferences: Preferences::default(),
            bindings: &ALL,
            versions: &[V1_0],
            chosen: &[],
        }
    }
}

#[test]
fn the_first_binding_of_the_card_and_its_highest_version() {
    let cases = [
        Case {
            name: "the card's order",
            card: &[("HTTP+JSON", "1.0"), ("JSONRPC", "1.0"), ("GRPC", "1.0")],
            chosen: &[0, 1, 2],
            ..Case::default()
        },
        Case {
            name: "I9: JSONRPC before GRPC, and a client that speaks gRPC alone",
            card: &[("JSONRPC", "1.0"), ("GRPC", "1.0")],
            bindings: &[Binding::Grpc],
            chosen: &[1],
            ..Case::default()
        },
        Case {
            name: "I10: one binding twice, and a client of 1.0",
            card: &[("JSONRPC", "0.3"), ("JSONRPC", "1.0")],
            chosen: &[1],
            ..Case::default()
        },
        Case {
            name: "I10: one binding twice, and a client of 0.3",
            card: &[("JSONRPC", "0.3"), ("JSONRPC", "1.0")],
            versions: &[V0_3],
            chosen: &[0],
            ..Case::default()
        },
        Case {
            name: "I10: one binding twice, and a client of both",
            card: &[("JSONRPC", "0.3"), ("JSONRPC", "1.0")],
            versions: &[V1_0, V0_3],
            chosen: &[1, 0],
            ..Case::default()
        },
        Case {
            name: "JSONRPC 0.3 before GRPC 1.0, 0.3 not spoken",
            card: &[("JSONRPC", "0.3"), ("GRPC", "1.0")],
            chosen: &[1],
            ..Case::default()
        },
        Case {
            name: "JSONRPC 0.3 before GRPC 1.0, both spoken: the binding comes first",
            card: &[("JSONRPC", "0.3"), ("GRPC", "1.0")],
            versions: &[V0_3, V1_0],
            chosen: &[0, 1],
            ..Case::default()
        },
        Case {
            name: "versions are sorted within their binding, wherever they are",
            card: &[
                ("GRPC", "0.3"),
                ("JSONRPC", "1.0"),
                ("GRPC", "1.0"),
                ("JSONRPC", "0.3"),
            ],
            versions: &[V0_3, V1_0],
            chosen: &[2, 0, 1, 3],
            ..Case::default()
        },
        Case {
            name: "equal interfaces stay in order",
            card: &[("JSONRPC", "1.0"), ("JSONRPC", "1.0.4")],
            chosen: &[0, 1],
            ..Case::default()
        },
        Case {
            name: "bindings are compared without case, unknown ones are skipped",
            card: &[
                ("jsonrpc/http", "1.0"),
                ("https://example.com/carrier-pigeon", "1.0"),
                ("", "1.0"),
                ("Http+Json", "1.0"),
                (" jsonrpc ", "1.0"),
            ],
            chosen: &[3, 4],
            ..Case::default()
        },
        Case {
            name: "patch digits do not count, prefixes do",
            card: &[
                ("JSONRPC", "1.0.9"),
                ("GRPC", "1"),
                ("HTTP+JSON", "1.00"),
                ("GRPC", "v1.0"),
            ],
            chosen: &[0],
            ..Case::default()
        },
        Case {
            name: "no version means 0.3",
            card: &[("JSONRPC", ""), ("JSONRPC", "  ")],
            chosen: &[],
            ..Case::default()
        },
        Case {
            name: "no version means 0.3, which is spoken",
            card: &[("JSONRPC", "")],
            versions: &[V0_3],
            chosen: &[0],
            ..Case::default()
        },
        Case {
            name: "a newer version is not spoken",
            card: &[("JSONRPC", "1.1"), ("GRPC", "2.0"), ("HTTP+JSON", "1.0")],
            chosen: &[2],
            ..Case::default()
        },
        Case {
            name: "an empty card",
            ..Case::default()
        },
    ];
    for case in cases {
        let selection = select(
            &interfaces(case.card),
            &case.preferences,
            &speaks(case.bindings, case.versions),
        );
        assert_eq!(order(&selection), case.chosen, "{}", case.name);
        assert_eq!(
            selection.choices.len() + selection.skipped.len(),
            case.card.len(),
            "{}: every interface is chosen or has a reason",
            case.name
        );
    }
}

#[test]
fn the_caller_narrows_and_reorders() {
    let card: &[_] = &[
        ("JSONRPC", "1.0"),
        ("JSONRPC", "0.3"),
        ("GRPC", "1.0"),
        ("HTTP+JSON", "0.3"),
        ("HTTP+JSON", "1.0"),
    ];
    let only = |bindings: &[Binding]| Preferences {
        only: Some(bindings.to_vec()),
        ..Preferences::default()
    };
    let first = |bindings: &[Binding]| Preferences {
        first: bindings.to_vec(),
        ..Preferences::default()
    };
    let cases: &[(&str, Preferences, &[usize])] = &[
        ("nothing", Preferences::default(), &[0, 1, 2, 4, 3]),
        (
            "narrowed, in the card's order",
            only(&[Binding::Rest, Binding::Grpc]),
            &[2, 4, 3],
        ),
        ("narrowed to nothing", only(&[]), &[]),
        (
            "one before the others",
            first(&[Binding::Rest]),
            &[4, 3, 0, 1, 2],
        ),
        (
            "all in another order",
            first(&[Binding::Grpc, Binding::Rest, Binding::JsonRpc]),
            &[2, 4, 3, 0, 1],
        ),
        (
            "narrowed and reordered",
            Preferences {
                only: Some(vec![Binding::Grpc, Binding::JsonRpc]),
                first: vec![Binding::Grpc],
                ..Preferences::default()
            },
            &[2, 0, 1],
        ),
        (
            "one version",
            Preferences {
                version: Some(V0_3),
                ..Preferences::default()
            },
            &[1, 3],
        ),
        (
            "no older version",
            Preferences {
                least: Some(V1_0),
                ..Preferences::default()
            },
            &[0, 2, 4],
        ),
    ];
    for (name, preferences, chosen) in cases {
        let selection = select(&interfaces(card), preferences, &speaks(&ALL, &[V1_0, V0_3]));
        assert_eq!(order(&selection), *chosen, "{name}");
    }
}

#[test]
fn every_interface_that_is_skipped_has_its_reason() {
    let card = interfaces(&[
        ("GRPC", "1.0"),
        ("carrier-pigeon", "1.0"),
        ("JSONRPC", "0.3"),
        ("JSONRPC", ""),
        ("JSONRPC", "2.0"),
        ("JSONRPC", "one"),
        ("HTTP+JSON", "1.0"),
    ]);
    let preferences = Preferences {
        only: Some(vec![Binding::JsonRpc, Binding::Grpc]),
        ..Preferences::default()
    };
    let selection = select(
        &card,
        &preferences,
        &speaks(&[Binding::JsonRpc, Binding::Rest], &[V1_0]),
    );
    assert!(selection.choices.is_empty());
    let reasons: Vec<Reason> = selection
        .skipped
        .into_iter()
        .map(|skipped| skipped.reason)
        .collect();
    let two = "2.0".parse().unwrap();
    assert_eq!(
        reasons,
        [
            Reason::NoGrpc,
            Reason::UnknownBinding,
            Reason::VersionNotSpoken(V0_3),
            Reason::VersionNotSpoken(V0_3),
            Reason::VersionNotSpoken(two),
            Reason::NoVersion,
            Reason::BindingNotWanted,
        ]
    );
    assert!(Reason::VersionNotSpoken(V0_3).to_string().contains("0.3"));
}
