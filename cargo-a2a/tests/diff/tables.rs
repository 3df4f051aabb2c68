//! Every row that the interoperability cheat sheet has on what changed from v0.3 to v1.0, corrected
//! where it was wrong, has its place in the report.

use super::printed;

mod operations;
mod parameters;

/// A row of a table of the report in Markdown, without the marks of code.
pub(super) struct Row {
    pub(super) section: String,
    pub(super) table: String,
    pub(super) cells: Vec<String>,
}

pub(super) fn read() -> Vec<Row> {
    let text = printed(&["0.3", "1.0", "--format", "md"]).replace('`', "");
    let (mut section, mut table) = (String::new(), String::new());
    let mut rows = Vec::new();
    let mut headings = true;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            (section, table) = (title.to_owned(), String::new());
        } else if let Some(title) = line.strip_prefix("### ") {
            title.clone_into(&mut table);
        }
        let Some(cells) = line
            .strip_prefix("| ")
            .and_then(|line| line.strip_suffix(" |"))
        else {
            headings = !line.starts_with("|-");
            continue;
        };
        if !headings {
            let cells = cells.replace("\\|", "\u{0}");
            let cells = cells.split(" | ").map(|cell| cell.replace('\u{0}', "|"));
            rows.push(Row {
                section: section.clone(),
                table: table.clone(),
                cells: cells.collect(),
            });
        }
    }
    rows
}

/// A table that must have rows with these cells; `…` at the end of a cell stands for anything.
struct Expected<'e> {
    section: &'e str,
    table: &'e str,
    rows: &'e [&'e [&'e str]],
}

fn check(expected: &Expected<'_>) {
    let rows = read();
    let of: Vec<&Row> = rows
        .iter()
        .filter(|row| row.section == expected.section && row.table == expected.table)
        .collect();
    for wanted in expected.rows {
        let is = |row: &&&Row| {
            let fits = |(cell, wanted): (&String, &&str)| match wanted.strip_suffix('…') {
                Some(start) => cell.starts_with(start),
                None => cell == wanted,
            };
            row.cells.len() == wanted.len() && row.cells.iter().zip(*wanted).all(fits)
        };
        let shown: Vec<String> = of.iter().map(|row| row.cells.join(" | ")).collect();
        assert_eq!(
            of.iter().filter(is).count(),
            1,
            "{} / {}: {wanted:?} is not one row of\n{}",
            expected.section,
            expected.table,
            shown.join("\n")
        );
    }
}

#[test]
fn the_nine_other_changes() {
    check(&Expected {
        section: "Other changes",
        table: "",
        rows: &[
            // 1 The version of a call.
            &[
                "version of a call",
                "no header says it…",
                "A2A-Version with every request…",
            ],
            // 2 How interfaces are declared.
            &[
                "AgentCard.supported_interfaces",
                "url, preferredTransport, additionalInterfaces and protocolVersion",
                "supportedInterfaces, each {url, protocolBinding, tenant, protocolVersion}",
            ],
            // 3 The media type.
            &[
                "media type over HTTP",
                "application/json",
                "application/a2a+json",
            ],
            // 4 The prefix of the routes.
            &["first part of the routes", "/v1", "–"],
            // 5 Tenants.
            &[
                "field tenant",
                "is not there",
                "in the request of every operation; new in AgentInterface, …",
            ],
            // 7 Details of errors.
            &[
                "details of an error",
                "none whose form is fixed",
                "a list of typed objects, data over JSON-RPC and details over HTTP and gRPC; the protocol's own errors have an ErrorInfo with reason and domain a2a-protocol.org",
            ],
            // 8 Events of a stream: fixed in v0.3, too, in two ways.
            &[
                "events of a stream (StreamResponse)",
                "JSON-RPC: bare Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent, told apart by kind; HTTP and gRPC: {task | message | statusUpdate | artifactUpdate}",
                "on every binding: {task | message | statusUpdate | artifactUpdate}",
            ],
            // 9 Where the proto is; and what the sheet does not say: its package is another, so that
            // every path of gRPC is.
            &[
                "declared in",
                "specification/grpc/a2a.proto",
                "specification/a2a.proto",
            ],
            &[
                "gRPC service, in every path",
                "a2a.v1.A2AService",
                "lf.a2a.v1.A2AService",
            ],
            // Left out by the sheet.
            &["header of extensions", "X-A2A-Extensions", "A2A-Extensions"],
            &[
                "body of a webhook call",
                "a Task, as application/json",
                "a StreamResponse, as application/a2a+json",
            ],
            &[
                "body of an error over HTTP",
                "{code, message}",
                "{error: {code, status, message, details}}",
            ],
        ],
    });
    // 6 Errors.
    check(&Expected {
        section: "Errors",
        table: "",
        rows: &[
            &[
                "-32001",
                "TaskNotFoundError",
                "the same",
                "NOT_FOUND",
                "404",
            ],
            &[
                "-32002",
                "TaskNotCancelableError",
                "the same",
                "FAILED_PRECONDITION",
                "409 → 400",
            ],
            &[
                "-32003",
                "PushNotificationNotSupportedError",
                "the same",
                "UNIMPLEMENTED → FAILED_PRECONDITION",
                "400",
            ],
            &[
                "-32004",
                "UnsupportedOperationError",
                "the same",
                "UNIMPLEMENTED → FAILED_PRECONDITION",
                "400",
            ],
            &[
                "-32005",
                "ContentTypeNotSupportedError",
                "the same",
                "INVALID_ARGUMENT",
                "415 → 400",
            ],
            &[
                "-32006",
                "InvalidAgentResponseError",
                "the same",
                "INTERNAL",
                "500",
            ],
            &[
                "-32007",
                "AuthenticatedExtendedCardNotConfiguredError",
                "ExtendedAgentCardNotConfiguredError",
                "NOT_FOUND → FAILED_PRECONDITION",
                "404 → 400",
            ],
            &[
                "-32008",
                "–",
                "ExtensionSupportRequiredError",
                "– → FAILED_PRECONDITION",
                "– → 400",
            ],
            &[
                "-32009",
                "–",
                "VersionNotSupportedError",
                "– → FAILED_PRECONDITION",
                "– → 400",
            ],
        ],
    });
}

#[test]
fn both_traps_of_id_and_the_six_of_name() {
    let changes = "becomes taskId";
    check(&Expected {
        section: "Silent traps",
        table: "The same name, another thing",
        rows: &[
            &[
                "GetTaskPushNotificationConfigParams → GetTaskPushNotificationConfigRequest",
                "id",
                "id",
                "the name id",
                changes,
            ],
            &[
                "DeleteTaskPushNotificationConfigParams → DeleteTaskPushNotificationConfigRequest",
                "id",
                "id",
                "the name id",
                changes,
            ],
        ],
    });
    let same = "number 1, string as string";
    check(&Expected {
        section: "Silent traps",
        table: "The same number, another thing: always read",
        rows: &[
            &["GetTaskRequest", "name", "tenant", same, "becomes id…"],
            &["CancelTaskRequest", "name", "tenant", same, "becomes id…"],
            &[
                "TaskSubscriptionRequest → SubscribeToTaskRequest",
                "name",
                "tenant",
                same,
                "becomes id…",
            ],
            &[
                "GetTaskPushNotificationConfigRequest",
                "name",
                "tenant",
                same,
                "becomes task_id and id…",
            ],
            &[
                "DeleteTaskPushNotificationConfigRequest",
                "name",
                "tenant",
                same,
                "becomes task_id and id…",
            ],
            &[
                "TaskPushNotificationConfig",
                "name",
                "tenant",
                same,
                "becomes task_id and id…",
            ],
            &[
                "AgentCard",
                "preferred_transport",
                "icon_url",
                "number 14, string as optional string",
                "…",
            ],
            &[
                "SendMessageConfiguration",
                "blocking",
                "return_immediately",
                "number 4, bool as bool",
                "becomes return_immediately, the opposite…",
            ],
        ],
    });
    // A path of v0.3 is one of v1.0 for a tenant called `v1`.
    check(&Expected {
        section: "Silent traps",
        table: "The same path, another thing",
        rows: &[&[
            "POST /v1/message:send",
            "POST /{tenant}/message:send",
            "SendMessage answers, with tenant = v1…",
        ]],
    });
}

#[test]
fn every_lossy_rule_carries_its_id() {
    let rows = read();
    let up = (1..=11).map(|number| ("Up: from 0.3 to 1.0", format!("U{number}")));
    let down = (1..=13).map(|number| ("Down: from 1.0 to 0.3", format!("D{number}")));
    for (table, id) in up.chain(down) {
        let mut of = rows
            .iter()
            .filter(|row| row.section == "Losses" && row.table == table);
        let row = of.find(|row| row.cells.first() == Some(&id));
        let row = row.unwrap_or_else(|| panic!("{id} is not in {table}"));
        assert!(
            row.cells.iter().all(|cell| !cell.is_empty() && cell != "–"),
            "{:?}",
            row.cells
        );
    }
    // And where a field loses something, the id stands beside it.
    check(&Expected {
        section: "Messages and fields",
        table: "Fields that change: JSON schema",
        rows: &[
            &[
                "AgentCard",
                "url, preferredTransport, additionalInterfaces, protocolVersion",
                "supportedInterfaces",
                "hook card_endpoints",
                "up U6, down D1, D6",
            ],
            &[
                "AgentCard",
                "signatures",
                "signatures",
                "dropped both ways",
                "up U6, down D13",
            ],
            &[
                "TaskStatusUpdateEvent",
                "final",
                "–",
                "went away, hook final_of_state",
                "up U2",
            ],
            &[
                "AgentCapabilities",
                "stateTransitionHistory",
                "–",
                "went away",
                "up U5",
            ],
            &[
                "AuthorizationCodeOAuthFlow",
                "–",
                "pkceRequired",
                "new",
                "down D5",
            ],
        ],
    });
}
