//! The eleven operations: names, routes, answers.

use super::{Expected, check, read};

const OPERATIONS: [&str; 11] = [
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
];

#[test]
fn the_eleven_operations_by_their_names() {
    check(&Expected {
        section: "Operations",
        table: "Names",
        rows: &[
            &[
                "SendMessage",
                "kept",
                "message/send → SendMessage",
                "SendMessage",
            ],
            &[
                "SendStreamingMessage",
                "kept",
                "message/stream → SendStreamingMessage",
                "SendStreamingMessage",
            ],
            &["GetTask", "kept", "tasks/get → GetTask", "GetTask"],
            // Not there in v0.3, whatever its prose says.
            &[
                "ListTasks",
                "new: refused with D10",
                "– → ListTasks",
                "– → ListTasks",
            ],
            &[
                "CancelTask",
                "kept",
                "tasks/cancel → CancelTask",
                "CancelTask",
            ],
            &[
                "SubscribeToTask",
                "renamed",
                "tasks/resubscribe → SubscribeToTask",
                "TaskSubscription → SubscribeToTask",
            ],
            &[
                "CreateTaskPushNotificationConfig",
                "kept",
                "tasks/pushNotificationConfig/set → CreateTaskPushNotificationConfig",
                "CreateTaskPushNotificationConfig",
            ],
            &[
                "GetTaskPushNotificationConfig",
                "kept",
                "tasks/pushNotificationConfig/get → GetTaskPushNotificationConfig",
                "GetTaskPushNotificationConfig",
            ],
            &[
                "ListTaskPushNotificationConfigs",
                "renamed",
                "tasks/pushNotificationConfig/list → ListTaskPushNotificationConfigs",
                "ListTaskPushNotificationConfig → ListTaskPushNotificationConfigs",
            ],
            &[
                "DeleteTaskPushNotificationConfig",
                "kept",
                "tasks/pushNotificationConfig/delete → DeleteTaskPushNotificationConfig",
                "DeleteTaskPushNotificationConfig",
            ],
            &[
                "GetExtendedAgentCard",
                "renamed",
                "agent/getAuthenticatedExtendedCard → GetExtendedAgentCard",
                "GetAgentCard → GetExtendedAgentCard",
            ],
        ],
    });
}

#[test]
fn the_eleven_operations_by_their_routes() {
    check(&Expected {
        section: "Operations",
        table: "Routes",
        rows: &[
            &["SendMessage", "POST /v1/message:send", "POST /message:send"],
            &[
                "SendStreamingMessage",
                "POST /v1/message:stream",
                "POST /message:stream",
            ],
            &["GetTask", "GET /v1/{name=tasks/*}", "GET /tasks/{id}"],
            &["ListTasks", "–", "GET /tasks"],
            &[
                "CancelTask",
                "POST /v1/{name=tasks/*}:cancel",
                "POST /tasks/{id}:cancel",
            ],
            // Proto and prose disagree on the verb, in both versions.
            &[
                "SubscribeToTask",
                "GET /v1/{name=tasks/*}:subscribe, POST /v1/{name=tasks/*}:subscribe +",
                "GET /tasks/{id}:subscribe, POST /tasks/{id}:subscribe +",
            ],
            // The proto of v0.3 has the singular; peers have the plural.
            &[
                "CreateTaskPushNotificationConfig",
                "POST /v1/{parent=task/*/pushNotificationConfigs}, POST /v1/{parent=tasks/*}/pushNotificationConfigs +",
                "POST /tasks/{task_id}/pushNotificationConfigs",
            ],
            &[
                "GetTaskPushNotificationConfig",
                "GET /v1/{name=tasks/*/pushNotificationConfigs/*}",
                "GET /tasks/{task_id}/pushNotificationConfigs/{id}",
            ],
            &[
                "ListTaskPushNotificationConfigs",
                "GET /v1/{parent=tasks/*}/pushNotificationConfigs",
                "GET /tasks/{task_id}/pushNotificationConfigs",
            ],
            &[
                "DeleteTaskPushNotificationConfig",
                "DELETE /v1/{name=tasks/*/pushNotificationConfigs/*}",
                "DELETE /tasks/{task_id}/pushNotificationConfigs/{id}",
            ],
            &[
                "GetExtendedAgentCard",
                "GET /v1/card",
                "GET /extendedAgentCard",
            ],
        ],
    });
}

#[test]
fn the_eleven_operations_by_their_answers() {
    check(&Expected {
        section: "Operations",
        table: "Answers",
        rows: &[
            &[
                "SendMessage",
                "type",
                "SendMessageResponse",
                "SendMessageResponse",
            ],
            &[
                "SendStreamingMessage",
                "type",
                "stream of StreamResponse",
                "stream of StreamResponse",
            ],
            &["GetTask", "type", "Task", "Task"],
            &["ListTasks", "type", "–", "ListTasksResponse"],
            &["CancelTask", "type", "Task", "Task"],
            &[
                "SubscribeToTask",
                "type",
                "stream of StreamResponse",
                "stream of StreamResponse",
            ],
            &[
                "CreateTaskPushNotificationConfig",
                "type",
                "TaskPushNotificationConfig",
                "TaskPushNotificationConfig",
            ],
            &[
                "GetTaskPushNotificationConfig",
                "type",
                "TaskPushNotificationConfig",
                "TaskPushNotificationConfig",
            ],
            &[
                "ListTaskPushNotificationConfigs",
                "type",
                "ListTaskPushNotificationConfigResponse",
                "ListTaskPushNotificationConfigsResponse",
            ],
            &["DeleteTaskPushNotificationConfig", "type", "Empty", "Empty"],
            &["GetExtendedAgentCard", "type", "AgentCard", "AgentCard"],
            // What is bare over JSON-RPC in v0.3.
            &[
                "SendMessage",
                "form over JSON-RPC",
                "bare Task | Message, told apart by kind",
                "{task | message}",
            ],
            &[
                "ListTaskPushNotificationConfigs",
                "form over JSON-RPC",
                "bare list of TaskPushNotificationConfig",
                "{configs, nextPageToken}",
            ],
        ],
    });
}

/// Nobody sees a row that no test asks for; so the tables of operations hold no others.
#[test]
fn the_tables_of_operations_have_no_other_rows() {
    let rows = read();
    for table in ["Names", "Routes"] {
        let of = rows
            .iter()
            .filter(|row| row.section == "Operations" && row.table == table);
        let mut names: Vec<&str> = of
            .filter_map(|row| row.cells.first())
            .map(String::as_str)
            .collect();
        let mut expected = OPERATIONS;
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected, "{table}");
    }
}
