//! Values that stand alone, from one version to the other.
//!
//! Comes in: a case whose input is a value of a type of A2A. Goes out: the same value in the other
//! version, with the ids of what was lost.

use a2a_kit::wire::adapt::{self, Down, Loss, Options, Refused, Up};
use a2a_kit::wire::{WireMessage, json, v0_3, v0_3_json as old, v1_0};
use serde_json::{Value, json};

use super::case::{Case, Direction, Encoding};
use super::{Became, Form, Outcome, Tools};
use crate::case;

/// Reads a value of v1.0 from JSON of v0.3.
type Read<New> = fn(&[u8], &Options) -> Result<(New, Vec<Loss>), json::Error>;
/// Writes one.
type Write<New> = fn(&New, &Options, &mut Vec<u8>) -> Result<Vec<Loss>, json::Error>;

/// Converts a value of one proto to one of the other.
type Convert<From, To> = fn(From, &Options) -> Result<(To, Vec<Loss>), Refused>;

/// Names of a type in cases, the codec that reads and writes it, and its definition in the schema.
macro_rules! codecs {
    ($case:ident, $tools:ident, $kind:expr; $($($name:literal)|+ => $codec:ident, $definition:literal;)*) => {
        match $kind {
            $($($name)|+ => by_codec($case, $tools, $definition, old::read::<old::$codec>, old::write::<old::$codec>),)*
            other => Err(format!("a type {other:?}, which this runner does not know in JSON")),
        }
    };
}

/// Names of a type in cases, and its types in the two protos.
macro_rules! pairs {
    ($case:ident, $tools:ident, $kind:expr; $($($name:literal)|+ => $old:ident, $new:ident;)*) => {
        match $kind {
            $($($name)|+ => by_proto::<v0_3::$old, v1_0::$new>($case, $tools),)*
            other => Err(format!("a type {other:?}, which this runner does not know in the proto")),
        }
    };
}

/// Converts between JSON of the schema and v1.0.
///
/// # Errors
/// When the type or the input is not one that can be converted at all.
pub fn schema(case: &Case, tools: &Tools<'_>) -> Result<Outcome, String> {
    match case.kind.as_str() {
        "TaskState" => inside(
            case,
            tools,
            "TaskStatus",
            |state| json!({ "state": state }),
            "state",
        ),
        "Role" | "MessageRole" => inside(
            case,
            tools,
            "Message",
            |role| json!({"messageId": "m", "role": role, "parts": []}),
            "role",
        ),
        kind => coded(case, tools, kind),
    }
}

/// Reads `ProtoJSON` of v0.3 as peers' answers and bodies are read; `None` for types that come in no
/// such place.
#[must_use]
pub fn either(case: &Case, tools: &Tools<'_>) -> Option<Result<Outcome, String>> {
    let kind = case.kind.as_str();
    if matches!(
        kind,
        "GetTaskRequest" | "CancelTaskRequest" | "Security" | "SecurityRequirement"
    ) || kind.ends_with("ConfigRequest") && kind != "CreateTaskPushNotificationConfigRequest"
        || kind.ends_with("ConfigsRequest")
        || kind.ends_with("SubscriptionRequest")
        || kind.ends_with("CardRequest")
        || kind.ends_with("SubscribeToTaskRequest")
        || kind == "StringList"
    {
        return None;
    }
    Some(coded(case, tools, kind))
}

fn coded(case: &Case, tools: &Tools<'_>, kind: &str) -> Result<Outcome, String> {
    codecs! { case, tools, kind;
        "MessageSendParams" | "SendMessageRequest" | "SendStreamingMessageRequest" => MessageSendParams, "MessageSendParams";
        "MessageSendConfiguration" | "SendMessageConfiguration" => MessageSendConfiguration, "MessageSendConfiguration";
        "SendMessageResult" | "SendMessageResponse" | "SendMessageSuccessResponseResult" => SendMessageResponse, "SendMessageResult";
        "StreamEvent" | "StreamResponse" | "SendStreamingMessageSuccessResponseResult" => StreamResponse, "StreamEvent";
        "TaskQueryParams" | "GetTaskRequest" => TaskQueryParams, "TaskQueryParams";
        "Task" => Task, "Task";
        "TaskIdParams(cancel)" | "CancelTaskRequest" => CancelTaskRequest, "TaskIdParams";
        "TaskIdParams(resubscribe)" | "TaskIdParams(subscribe)" | "SubscribeToTaskRequest" => SubscribeToTaskRequest, "TaskIdParams";
        "TaskPushNotificationConfig" => TaskPushNotificationConfig, "TaskPushNotificationConfig";
        "PushNotificationConfig" => PushNotificationConfig, "PushNotificationConfig";
        "CreateTaskPushNotificationConfigRequest" => CreateTaskPushNotificationConfigRequest, "";
        "GetTaskPushNotificationConfigParams" | "GetTaskPushNotificationConfigRequest" => GetTaskPushNotificationConfigParams, "GetTaskPushNotificationConfigParams";
        "DeleteTaskPushNotificationConfigParams" | "DeleteTaskPushNotificationConfigRequest" => DeleteTaskPushNotificationConfigParams, "DeleteTaskPushNotificationConfigParams";
        "ListTaskPushNotificationConfigParams" | "ListTaskPushNotificationConfigRequest" | "ListTaskPushNotificationConfigsRequest" => ListTaskPushNotificationConfigParams, "ListTaskPushNotificationConfigParams";
        "TaskPushNotificationConfig[]" | "ListTaskPushNotificationConfigResponse" | "ListTaskPushNotificationConfigsResponse" => ListTaskPushNotificationConfigsResponse, "TaskPushNotificationConfig[]";
        "PushNotificationAuthenticationInfo" | "AuthenticationInfo" => PushNotificationAuthenticationInfo, "PushNotificationAuthenticationInfo";
        "Message" => Message, "Message";
        "Part" | "TextPart" | "FilePart" | "DataPart" => Part, "Part";
        "Artifact" => Artifact, "Artifact";
        "TaskStatus" => TaskStatus, "TaskStatus";
        "TaskStatusUpdateEvent" => TaskStatusUpdateEvent, "TaskStatusUpdateEvent";
        "TaskArtifactUpdateEvent" => TaskArtifactUpdateEvent, "TaskArtifactUpdateEvent";
        "AgentCard" => AgentCard, "AgentCard";
        "AgentInterface" => AgentInterface, "AgentInterface";
        "AgentProvider" => AgentProvider, "AgentProvider";
        "AgentCapabilities" => AgentCapabilities, "AgentCapabilities";
        "AgentExtension" => AgentExtension, "AgentExtension";
        "AgentSkill" => AgentSkill, "AgentSkill";
        "SecurityRequirement" => SecurityRequirement, "";
        "SecurityScheme" => SecurityScheme, "SecurityScheme";
        "APIKeySecurityScheme" => APIKeySecurityScheme, "APIKeySecurityScheme";
        "HTTPAuthSecurityScheme" => HTTPAuthSecurityScheme, "HTTPAuthSecurityScheme";
        "OAuth2SecurityScheme" => OAuth2SecurityScheme, "OAuth2SecurityScheme";
        "OpenIdConnectSecurityScheme" => OpenIdConnectSecurityScheme, "OpenIdConnectSecurityScheme";
        "MutualTLSSecurityScheme" | "MutualTlsSecurityScheme" => MutualTLSSecurityScheme, "MutualTLSSecurityScheme";
        "OAuthFlows" => OAuthFlows, "OAuthFlows";
        "AuthorizationCodeOAuthFlow" => AuthorizationCodeOAuthFlow, "AuthorizationCodeOAuthFlow";
        "ClientCredentialsOAuthFlow" => ClientCredentialsOAuthFlow, "ClientCredentialsOAuthFlow";
        "ImplicitOAuthFlow" => ImplicitOAuthFlow, "ImplicitOAuthFlow";
        "PasswordOAuthFlow" => PasswordOAuthFlow, "PasswordOAuthFlow";
    }
}

/// Converts between the protos.
///
/// # Errors
/// When the type or the input is not one that can be converted at all.
pub fn proto(case: &Case, tools: &Tools<'_>) -> Result<Outcome, String> {
    pairs! { case, tools, case.kind.as_str();
        "SendMessageRequest" => SendMessageRequest, SendMessageRequest;
        "SendMessageConfiguration" => SendMessageConfiguration, SendMessageConfiguration;
        "SendMessageResponse" => SendMessageResponse, SendMessageResponse;
        "StreamResponse" => StreamResponse, StreamResponse;
        "GetTaskRequest" => GetTaskRequest, GetTaskRequest;
        "Task" => Task, Task;
        "CancelTaskRequest" => CancelTaskRequest, CancelTaskRequest;
        "TaskSubscriptionRequest" | "SubscribeToTaskRequest" => TaskSubscriptionRequest, SubscribeToTaskRequest;
        "TaskPushNotificationConfig" => TaskPushNotificationConfig, TaskPushNotificationConfig;
        "PushNotificationConfig" => PushNotificationConfig, TaskPushNotificationConfig;
        "CreateTaskPushNotificationConfigRequest" => CreateTaskPushNotificationConfigRequest, TaskPushNotificationConfig;
        "GetTaskPushNotificationConfigRequest" => GetTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest;
        "DeleteTaskPushNotificationConfigRequest" => DeleteTaskPushNotificationConfigRequest, DeleteTaskPushNotificationConfigRequest;
        "ListTaskPushNotificationConfigRequest" | "ListTaskPushNotificationConfigsRequest" => ListTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest;
        "ListTaskPushNotificationConfigResponse" | "ListTaskPushNotificationConfigsResponse" => ListTaskPushNotificationConfigResponse, ListTaskPushNotificationConfigsResponse;
        "GetAgentCardRequest" | "GetExtendedAgentCardRequest" => GetAgentCardRequest, GetExtendedAgentCardRequest;
        "AuthenticationInfo" => AuthenticationInfo, AuthenticationInfo;
        "Message" => Message, Message;
        "Part" => Part, Part;
        "Artifact" => Artifact, Artifact;
        "TaskStatus" => TaskStatus, TaskStatus;
        "TaskStatusUpdateEvent" => TaskStatusUpdateEvent, TaskStatusUpdateEvent;
        "TaskArtifactUpdateEvent" => TaskArtifactUpdateEvent, TaskArtifactUpdateEvent;
        "AgentCard" => AgentCard, AgentCard;
        "AgentInterface" => AgentInterface, AgentInterface;
        "AgentProvider" => AgentProvider, AgentProvider;
        "AgentCapabilities" => AgentCapabilities, AgentCapabilities;
        "AgentExtension" => AgentExtension, AgentExtension;
        "AgentSkill" => AgentSkill, AgentSkill;
        "Security" | "SecurityRequirement" => Security, SecurityRequirement;
        "StringList" => StringList, StringList;
        "SecurityScheme" => SecurityScheme, SecurityScheme;
        "APIKeySecurityScheme" => ApiKeySecurityScheme, ApiKeySecurityScheme;
        "HTTPAuthSecurityScheme" => HttpAuthSecurityScheme, HttpAuthSecurityScheme;
        "OAuth2SecurityScheme" => OAuth2SecurityScheme, OAuth2SecurityScheme;
        "OpenIdConnectSecurityScheme" => OpenIdConnectSecurityScheme, OpenIdConnectSecurityScheme;
        "MutualTlsSecurityScheme" => MutualTlsSecurityScheme, MutualTlsSecurityScheme;
        "OAuthFlows" => OAuthFlows, OAuthFlows;
        "AuthorizationCodeOAuthFlow" => AuthorizationCodeOAuthFlow, AuthorizationCodeOAuthFlow;
        "ClientCredentialsOAuthFlow" => ClientCredentialsOAuthFlow, ClientCredentialsOAuthFlow;
        "ImplicitOAuthFlow" => ImplicitOAuthFlow, ImplicitOAuthFlow;
        "PasswordOAuthFlow" => PasswordOAuthFlow, PasswordOAuthFlow;
    }
}

/// A value that is no object, where it stands in one.
fn inside(
    case: &Case,
    tools: &Tools<'_>,
    kind: &str,
    around: impl Fn(&Value) -> Value,
    key: &str,
) -> Result<Outcome, String> {
    let mut within = case.clone_for(around(&case.input));
    within.input_is_valid = None;
    match coded(&within, tools, kind)? {
        Outcome::Became(became) => Ok(Outcome::Became(Became {
            value: became.value.get(key).cloned().unwrap_or(Value::Null),
            form: Form::Plain,
            ..became
        })),
        refused @ Outcome::Refused { .. } => Ok(refused),
    }
}

fn by_codec<New: WireMessage>(
    case: &Case,
    tools: &Tools<'_>,
    definition: &'static str,
    read: Read<New>,
    write: Write<New>,
) -> Result<Outcome, String> {
    let options = &case.settings.options;
    let input = case.input.to_string();
    match case.direction {
        Direction::Up => {
            if let (Encoding::Schema, Some(valid)) = (case.encoding, case.input_is_valid) {
                let faults = tools.definitions.faults(definition, &case.input)?;
                if faults.is_empty() != valid {
                    return Err(format!("an input whose validity is {}: {faults:?}", !valid));
                }
            }
            match read(input.as_bytes(), options) {
                Ok((value, losses)) => became(&value, tools, &losses),
                Err(error) if error.is_syntax() => Err(format!("no JSON: {error}")),
                Err(error) => Ok(Outcome::refused(error)),
            }
        }
        Direction::Down => {
            let value = New::read_json(input.as_bytes())
                .map_err(|error| format!("an input that is no {}: {error}", New::NAME))?;
            let mut text = Vec::new();
            match write(&value, options, &mut text) {
                Ok(losses) => Ok(Outcome::Became(Became {
                    value: case::json(&text).map_err(|error| format!("no JSON: {error}"))?,
                    form: Form::Definition(definition),
                    bytes: None,
                    losses: told(&losses),
                })),
                Err(error) => Ok(Outcome::refused(error)),
            }
        }
    }
}

fn by_proto<Old, New>(case: &Case, tools: &Tools<'_>) -> Result<Outcome, String>
where
    Old: WireMessage + Up<New>,
    New: WireMessage + Down<Old>,
{
    match case.direction {
        Direction::Up => converted(case, tools, adapt::up::<Old, New>),
        Direction::Down => converted(case, tools, adapt::down::<New, Old>),
    }
}

fn converted<From: WireMessage, To: WireMessage>(
    case: &Case,
    tools: &Tools<'_>,
    convert: Convert<From, To>,
) -> Result<Outcome, String> {
    let value = From::read_json(case.input.to_string().as_bytes());
    let value = match (&case.input_bytes, value) {
        (None, Ok(value)) => value,
        // What the proto cannot hold is refused before anything is converted.
        (None, Err(error)) if !error.is_syntax() => return Ok(Outcome::refused(error)),
        (None, Err(error)) => return Err(format!("no JSON: {error}")),
        (Some(bytes), readable) => {
            let value = From::read_protobuf(bytes.clone().into())
                .map_err(|error| format!("an input that is no {}: {error}", From::NAME))?;
            match readable {
                Ok(same) if same.encode_to_vec() == value.encode_to_vec() => value,
                _ => return Err("an input whose bytes are not its JSON".to_owned()),
            }
        }
    };
    match convert(value, &case.settings.options) {
        Ok((value, losses)) => became(&value, tools, &losses),
        Err(refused) => Ok(Outcome::refused(refused)),
    }
}

/// A message with what was lost on the way to it.
fn became<M: WireMessage>(
    message: &M,
    tools: &Tools<'_>,
    losses: &[Loss],
) -> Result<Outcome, String> {
    let mut text = Vec::new();
    message
        .write_json(&mut text)
        .map_err(|error| format!("a {} that has no JSON form: {error}", M::NAME))?;
    Ok(Outcome::Became(Became {
        value: case::json(&text).map_err(|error| format!("no JSON: {error}"))?,
        form: Form::Message(tools.schemas.message(M::NAME)?),
        bytes: Some(message.encode_to_vec()),
        losses: told(losses),
    }))
}

fn told(losses: &[Loss]) -> Vec<(String, String)> {
    let told = losses
        .iter()
        .map(|loss| (loss.id.to_owned(), loss.path.clone()));
    told.collect()
}
