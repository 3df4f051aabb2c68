//! JSON-RPC.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::http::{Connection, Whole};
use super::{Answer, Binding, Client, Events, Fault, Outcome};

impl Client {
    /// Posts a body as JSON-RPC.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn json_rpc_post(&self, body: impl Into<Bytes>) -> Whole {
        Whole::read(self.json_rpc_send(body.into()).await).await
    }

    async fn json_rpc_send(&self, body: Bytes) -> Response<Incoming> {
        let path = if self.query.is_empty() {
            self.path.clone()
        } else {
            format!("{}?{}", self.path, self.query)
        };
        let mut request = Request::post(path);
        if let Some(content_type) = &self.content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        let mut request = request.body(body).expect("a request");
        request.headers_mut().extend(self.headers.clone());
        Connection::http1(self.addr).await.send(request).await
    }

    fn envelope(&self, operation: &str, request: &Value) -> Bytes {
        let id = &self.id;
        json!({"jsonrpc": "2.0", "id": id, "method": operation, "params": request})
            .to_string()
            .into()
    }

    pub(super) async fn json_rpc_call(&self, operation: &str, request: Value) -> Outcome {
        let whole = self.json_rpc_post(self.envelope(operation, &request)).await;
        assert_eq!(
            whole.header("content-type"),
            "application/json",
            "{whole:?}"
        );
        let value = result_of(&whole.json(), &self.id, whole.status.as_u16());
        let headers = whole.headers;
        match value {
            Ok(value) => {
                assert_eq!(whole.status, 200);
                Ok(Answer { value, headers })
            }
            Err(fault) => Err(Fault { headers, ..fault }),
        }
    }

    pub(super) async fn json_rpc_open(
        &self,
        operation: &str,
        request: Value,
    ) -> Result<Events, Fault> {
        let response = self.json_rpc_send(self.envelope(operation, &request)).await;
        let content_type = response
            .headers()
            .get(CONTENT_TYPE)
            .expect("a content type");
        if content_type == "application/json" {
            let whole = Whole::read(response).await;
            let fault = result_of(&whole.json(), &self.id, whole.status.as_u16());
            let fault = fault.expect_err("a streaming operation answers with a stream or an error");
            return Err(Fault {
                headers: whole.headers,
                ..fault
            });
        }
        Ok(Events::sse(Binding::JsonRpc, response).with_id(self.id.clone()))
    }
}

/// Takes a response object apart: there is either a result or an error, for this id.
pub(super) fn result_of(body: &Value, id: &Value, http: u16) -> Result<Value, Fault> {
    assert_eq!(body["jsonrpc"], "2.0", "{body}");
    assert_eq!(&body["id"], id, "the id is that of the request: {body}");
    let members = body.as_object().expect("a response is an object");
    assert_eq!(
        members.len(),
        3,
        "jsonrpc, id, and a result or an error: {body}"
    );
    if let Some(result) = body.get("result") {
        return Ok(result.clone());
    }
    Err(error_of(body, http))
}

/// Reads the error of a response object.
///
/// # Panics
/// When it has none.
pub(super) fn error_of(body: &Value, http: u16) -> Fault {
    let error = &body["error"];
    let data = match &error["data"] {
        Value::Null => Vec::new(),
        Value::Array(data) => data.clone(),
        other => panic!("data is a list: {other}"),
    };
    Fault {
        binding: Binding::JsonRpc,
        http,
        code: error["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no code: {body}")),
        status: None,
        message: error["message"]
            .as_str()
            .unwrap_or_else(|| panic!("no message: {body}"))
            .to_owned(),
        details: data,
        headers: http::HeaderMap::new(),
    }
}
