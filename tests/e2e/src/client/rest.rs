//! HTTP+JSON.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use hyper::body::Incoming;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::http::{Connection, Whole};
use super::{Answer, Binding, Client, Events, Fault, Outcome};

/// What stays as it is in a path (RFC 3986, unreserved).
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Method, path and body of an operation, by the table of specification 5.3. What is neither in the
/// path nor in a body is in the query.
///
/// # Panics
/// When there is no such operation.
#[must_use]
pub fn route(operation: &str, mut request: Value) -> (&'static str, String, Option<Value>) {
    let mut take = |name: &str| {
        let value = request
            .as_object_mut()
            .and_then(|members| members.remove(name));
        let text = value.as_ref().and_then(Value::as_str).unwrap_or_default();
        utf8_percent_encode(text, UNRESERVED).to_string()
    };
    let configs = |task: &str| format!("/tasks/{task}/pushNotificationConfigs");
    let (method, path) = match operation {
        "SendMessage" => ("POST", "/message:send".to_owned()),
        "SendStreamingMessage" => ("POST", "/message:stream".to_owned()),
        "GetTask" => ("GET", format!("/tasks/{}", take("id"))),
        "ListTasks" => ("GET", "/tasks".to_owned()),
        "CancelTask" => ("POST", format!("/tasks/{}:cancel", take("id"))),
        "SubscribeToTask" => ("GET", format!("/tasks/{}:subscribe", take("id"))),
        "CreateTaskPushNotificationConfig" => ("POST", configs(&take("taskId"))),
        "GetTaskPushNotificationConfig" => ("GET", configs(&take("taskId")) + "/" + &take("id")),
        "ListTaskPushNotificationConfigs" => ("GET", configs(&take("taskId"))),
        "DeleteTaskPushNotificationConfig" => {
            ("DELETE", configs(&take("taskId")) + "/" + &take("id"))
        }
        "GetExtendedAgentCard" => ("GET", "/extendedAgentCard".to_owned()),
        other => panic!("there is no operation {other}"),
    };
    if method == "POST" {
        return (method, path, Some(request));
    }
    let members = request.as_object().expect("a request is an object");
    let query: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{name}={}", query_text(value)))
        .collect();
    let path = if query.is_empty() {
        path
    } else {
        format!("{path}?{}", query.join("&"))
    };
    (method, path, None)
}

fn query_text(value: &Value) -> String {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string()
}

impl Client {
    async fn rest_send(&self, operation: &str, request: Value) -> Response<Incoming> {
        let (method, path, body) = route(operation, request);
        let mut path = format!("{}{path}", self.tenant_prefix);
        if !self.query.is_empty() {
            path = format!(
                "{path}{}{}",
                if path.contains('?') { '&' } else { '?' },
                self.query
            );
        }
        let mut request = Request::builder().method(method).uri(path);
        if let (Some(content_type), Some(_)) = (&self.content_type, &body) {
            request = request.header(CONTENT_TYPE, content_type);
        }
        let body = body.map_or_else(Bytes::new, |body| body.to_string().into());
        let mut request = request.body(body).expect("a request");
        request.headers_mut().extend(self.headers.clone());
        Connection::http1(self.addr).await.send(request).await
    }

    pub(super) async fn rest_call(&self, operation: &str, request: Value) -> Outcome {
        let whole = Whole::read(self.rest_send(operation, request).await).await;
        if !whole.status.is_success() {
            return Err(fault(&whole));
        }
        assert_eq!(whole.status, 200);
        assert!(is_json(whole.header("content-type")), "{whole:?}");
        Ok(Answer {
            value: whole.json(),
            headers: whole.headers,
        })
    }

    pub(super) async fn rest_open(&self, operation: &str, request: Value) -> Result<Events, Fault> {
        let response = self.rest_send(operation, request).await;
        if !response.status().is_success() {
            return Err(fault(&Whole::read(response).await));
        }
        Ok(Events::sse(Binding::Rest, response))
    }
}

fn is_json(content_type: &str) -> bool {
    content_type == "application/json" || content_type == "application/a2a+json"
}

fn fault(whole: &Whole) -> Fault {
    assert!(is_json(whole.header("content-type")), "{whole:?}");
    let fault = error_of(&whole.json(), whole.status.as_u16());
    assert_eq!(
        fault.code,
        i64::from(whole.status.as_u16()),
        "code and status agree: {fault:?}"
    );
    Fault {
        headers: whole.headers.clone(),
        ..fault
    }
}

/// Reads `{"error": {code, status, message, details}}` (specification 11.6).
pub(super) fn error_of(body: &Value, http: u16) -> Fault {
    let error = &body["error"];
    Fault {
        binding: Binding::Rest,
        http,
        code: error["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no code: {body}")),
        status: Some(
            error["status"]
                .as_str()
                .unwrap_or_else(|| panic!("no status: {body}"))
                .to_owned(),
        ),
        message: error["message"]
            .as_str()
            .unwrap_or_else(|| panic!("no message: {body}"))
            .to_owned(),
        details: error["details"]
            .as_array()
            .unwrap_or_else(|| panic!("no details: {body}"))
            .clone(),
        headers: http::HeaderMap::new(),
    }
}
