//! The schemas whose declarations are held fast: what each declares, and where the official file is.

mod v0_3;
mod v1_0;

/// One version of `a2a.proto`.
pub(crate) struct Schema {
    /// Our file below `proto/`.
    pub(crate) name: &'static str,
    /// The official file in `../shared/spec`.
    pub(crate) official: &'static str,
    /// SHA-256 of the canonical descriptor of the whole file.
    pub(crate) fingerprint: &'static str,
    /// The start of the hash of each declaration.
    pub(crate) declarations: &'static [(&'static str, &'static str)],
    /// Where the two above stand.
    pub(crate) constants: &'static str,
    /// Fields that the official file does not have.
    pub(crate) additions: &'static [Addition],
}

/// A field that is ours alone.
pub(crate) struct Addition {
    pub(crate) message: &'static str,
    pub(crate) field: &'static str,
    /// All that it declares; the label and the defaults included.
    pub(crate) says: &'static [&'static str],
}

pub(crate) const V1_0: Schema = Schema {
    name: "a2a/v1.0/a2a.proto",
    official: "a2a-v1.0.1.proto",
    fingerprint: v1_0::FINGERPRINT,
    declarations: v1_0::DECLARATIONS,
    constants: "v1_0.rs",
    additions: &[],
};

/// Peers send five fields that the release does not have: those of the protos that the SDKs for
/// Python (the first, second and last of them) and Go (all) were built from.
pub(crate) const V0_3: Schema = Schema {
    name: "a2a/v0.3/a2a.proto",
    official: "a2a-v0.3.0.proto",
    fingerprint: v0_3::FINGERPRINT,
    declarations: v0_3::DECLARATIONS,
    constants: "v0_3.rs",
    additions: &[
        Addition {
            message: "Part",
            field: "metadata",
            says: &[
                "name = \"metadata\"",
                "number = 4",
                "label = LABEL_OPTIONAL",
                "type = TYPE_MESSAGE",
                "type_name = \".google.protobuf.Struct\"",
            ],
        },
        Addition {
            message: "FilePart",
            field: "name",
            says: &[
                "name = \"name\"",
                "number = 4",
                "label = LABEL_OPTIONAL",
                "type = TYPE_STRING",
            ],
        },
        Addition {
            message: "Message",
            field: "reference_task_ids",
            says: &[
                "name = \"reference_task_ids\"",
                "number = 8",
                "label = LABEL_REPEATED",
                "type = TYPE_STRING",
            ],
        },
        Addition {
            message: "AgentCapabilities",
            field: "state_transition_history",
            says: &[
                "name = \"state_transition_history\"",
                "number = 4",
                "label = LABEL_OPTIONAL",
                "type = TYPE_BOOL",
            ],
        },
        Addition {
            message: "AgentCard",
            field: "icon_url",
            says: &[
                "name = \"icon_url\"",
                "number = 18",
                "label = LABEL_OPTIONAL",
                "type = TYPE_STRING",
            ],
        },
    ],
};

pub(crate) const SCHEMAS: [&Schema; 2] = [&V0_3, &V1_0];
