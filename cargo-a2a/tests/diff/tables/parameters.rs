//! Seven rows of parameters.

use super::{Expected, check};

#[test]
fn the_seven_rows_of_parameters() {
    let tenant: &[&str] = &["–", "tenant", "new", "down D1"];
    let lost: &[&str] = &["metadata", "–", "went away", "up U1"];
    let tables: [(&str, &[&[&str]]); 7] = [
        (
            "GetTask",
            &[
                &["id", "id", "the same", "–"],
                &[
                    "historyLength",
                    "historyLength",
                    "0 counts as unset…",
                    "up U8, down D8",
                ],
                lost,
                tenant,
            ],
        ),
        (
            "SubscribeToTask",
            &[&["id", "id", "the same", "–"], lost, tenant],
        ),
        (
            "CancelTask",
            &[
                &["id", "id", "the same", "–"],
                &["metadata", "metadata", "…", "up U7"],
                tenant,
            ],
        ),
        (
            "CreateTaskPushNotificationConfig",
            &[
                &["taskId", "taskId", "…", "down D9"],
                &[
                    "pushNotificationConfig",
                    "–",
                    "what is in it stands in the newer message itself…",
                    "–",
                ],
                &["pushNotificationConfig.id", "id", "the same", "–"],
                &["pushNotificationConfig.url", "url", "the same", "–"],
                &["pushNotificationConfig.token", "token", "the same", "–"],
                &[
                    "pushNotificationConfig.authentication",
                    "authentication",
                    "the same",
                    "–",
                ],
                // What the sheet leaves out.
                &[
                    "pushNotificationConfig.authentication.schemes",
                    "authentication.scheme",
                    "renamed, list of string → string, the first of the list…",
                    "up U3, U10",
                ],
                tenant,
            ],
        ),
        (
            "GetTaskPushNotificationConfig",
            &[
                &["id", "taskId", "renamed", "–"],
                // May be left out in v0.3.
                &[
                    "pushNotificationConfigId",
                    "id",
                    "renamed, now required, absent is refused (U9)",
                    "up U9",
                ],
                lost,
                tenant,
            ],
        ),
        (
            "DeleteTaskPushNotificationConfig",
            &[
                &["id", "taskId", "renamed", "–"],
                &["pushNotificationConfigId", "id", "renamed", "–"],
                lost,
                tenant,
            ],
        ),
        (
            "ListTaskPushNotificationConfigs",
            &[
                &["id", "taskId", "renamed", "–"],
                &["–", "pageSize", "new", "down D4"],
                &["–", "pageToken", "new", "down D4"],
                lost,
                tenant,
            ],
        ),
    ];
    for (operation, rows) in tables {
        check(&Expected {
            section: "Parameters",
            table: &format!("{operation}: JSON schema"),
            rows,
        });
    }
    // Over gRPC and HTTP the list had pages before, and a cancellation had no metadata.
    check(&Expected {
        section: "Parameters",
        table: "ListTaskPushNotificationConfigs: gRPC and ProtoJSON",
        rows: &[
            &["parent", "task_id", "taken from tasks/{task_id}", "–"],
            &["page_size", "page_size", "the same", "–"],
            &["page_token", "page_token", "the same", "–"],
        ],
    });
    check(&Expected {
        section: "Parameters",
        table: "CancelTask: gRPC and ProtoJSON",
        rows: &[&["–", "metadata", "new", "down D11"]],
    });
}
