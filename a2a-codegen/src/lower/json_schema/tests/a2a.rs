//! A2A v0.3 itself.

use std::path::Path;

use super::printed;
use crate::load::{SchemaSource, load_schema};
use crate::lower::lower_schema;

/// What the schema says in each of its ways, one line each as [`printed`] prints it.
const EXPECTED: &[&str] = &[
    "Task { kind=task, artifacts: [Artifact], contextId!: String, history: [Message], id!: String, metadata: Struct?, status!: TaskStatus? }",
    "TaskStatus { message: Message?, state!: enum TaskState?, timestamp: String? }",
    "FilePart { kind=file, file!: union FilePartFile?, metadata: Struct? }",
    "FileWithBytes { bytes!: String, mimeType: String?, name: String? }",
    "AgentSkill { description!: String, examples: [String], id!: String, inputModes: [String], name!: String, outputModes: [String], security: [StringListMap], tags!: [String] }",
    "ImplicitOAuthFlow { authorizationUrl!: String, refreshUrl: String?, scopes!: <String> }",
    "MessageSendConfiguration { acceptedOutputModes: [String], blocking: Bool?, historyLength: Int32?, pushNotificationConfig: PushNotificationConfig? }",
    "bare StringList { value!: [String] }",
    "bare StringListMap { value!: <StringList> }",
    "bare TaskPushNotificationConfigList { value!: [TaskPushNotificationConfig] }",
    "enum MessageRole { agent, user }",
    "enum TaskState { submitted, working, input-required, completed, canceled, failed, rejected, auth-required, unknown }",
    "union FilePartFile by - { FileWithBytes, FileWithUri }",
    "union GetTaskPushNotificationConfigRequestParams by - { TaskIdParams, GetTaskPushNotificationConfigParams }",
    "union Part by kind { text=TextPart, file=FilePart, data=DataPart }",
    "union SecurityScheme by type { apiKey=APIKeySecurityScheme, http=HTTPAuthSecurityScheme, oauth2=OAuth2SecurityScheme, openIdConnect=OpenIdConnectSecurityScheme, mutualTLS=MutualTLSSecurityScheme }",
    "union SendStreamingMessageSuccessResponseResult by kind { task=Task, message=Message, status-update=TaskStatusUpdateEvent, artifact-update=TaskArtifactUpdateEvent }",
    "rpc CancelTask tasks/cancel (TaskIdParams) (Task)",
    "rpc DeleteTaskPushNotificationConfig tasks/pushNotificationConfig/delete (DeleteTaskPushNotificationConfigParams) (google.protobuf.Empty)",
    "rpc GetAuthenticatedExtendedCard agent/getAuthenticatedExtendedCard (google.protobuf.Empty) (AgentCard)",
    "rpc GetTaskPushNotificationConfig tasks/pushNotificationConfig/get (GetTaskPushNotificationConfigRequestParams) (TaskPushNotificationConfig)",
    "rpc ListTaskPushNotificationConfig tasks/pushNotificationConfig/list (ListTaskPushNotificationConfigParams) (TaskPushNotificationConfigList)",
    "rpc SendMessage message/send (MessageSendParams) (SendMessageSuccessResponseResult)",
    // It has no response of its own: the schema does not say what it answers.
    "rpc TaskResubscription tasks/resubscribe (TaskIdParams) ()",
];

/// The members of a line in an order of their own, since JSON schemas have none.
fn sorted(line: &str) -> String {
    let mut words: Vec<&str> = line
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_unstable();
    words.join(" ")
}

#[test]
fn the_schema_of_v0_3_lowers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/a2a/v0.3/a2a.schema.json");
    let loaded = load_schema(&SchemaSource::file(path).named("a2a/v0.3/a2a.schema.json"));
    let loaded = loaded.unwrap_or_else(|faults| panic!("{}", faults.render()));
    let api = lower_schema(&loaded).unwrap_or_else(|faults| panic!("{}", faults.render()));

    let printed = printed(&api);
    let lines: Vec<String> = printed.lines().map(sorted).collect();
    for expected in EXPECTED {
        assert!(
            lines.contains(&sorted(expected)),
            "{expected}\nis not in\n{printed}"
        );
    }
    assert_eq!(api.services[0].methods.len(), 10, "{printed}");
    let of_envelope = |name: &String| name.starts_with("JSONRPC") || name.ends_with("Error");
    assert!(
        !api.messages
            .keys()
            .chain(api.unions.keys())
            .any(of_envelope),
        "{printed}"
    );
    // Each message knows its place.
    assert!(api.messages.values().all(|message| message.origin.line > 1));
}
