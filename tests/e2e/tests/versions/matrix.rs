//! Which call is in which version: header, versions that are served, the name or path that is called,
//! and the binding.

use a2a_kit::ProtocolVersion;
use bytes::Bytes;
use e2e::client::http;
use e2e::{Binding, Client, Fault, Served, Setup};
use serde_json::{Value, json};

use super::{V0_3, V1_0, serving};

/// What comes of asking for a task that does not exist.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    /// It was looked for, and the answer is as this version has it.
    In(ProtocolVersion),
    /// The version is not served, or the call contradicts itself.
    VersionNotSupported,
    /// The name does not exist in the version of the call, and the answer names the other one.
    NoSuchName,
    /// The path of v0.3 is one of the tenant `v1`, whom the agent does not have.
    NoSuchTenant,
}

const HEADERS: [(Option<&str>, Option<ProtocolVersion>); 7] = [
    (None, Some(V0_3)),
    (Some(""), Some(V0_3)),
    (Some("0.3"), Some(V0_3)),
    (Some("0.3.0"), Some(V0_3)),
    (Some("1.0"), Some(V1_0)),
    (Some("1.0.1"), Some(V1_0)),
    (Some("2.0"), None),
];

fn expected(
    binding: Binding,
    served: &[ProtocolVersion],
    header: (Option<&str>, Option<ProtocolVersion>),
    name: ProtocolVersion,
) -> Seen {
    let asked = match (binding, header) {
        // The package says the version, and a header must not say another one. v1.0 has one to send,
        // so there its absence says 0.3; v0.3 has none.
        (Binding::Grpc, (_, asked)) if asked == Some(name) => Some(name),
        (Binding::Grpc, _) => None,
        (_, (_, asked)) => asked,
    };
    match asked {
        Some(asked) if !served.contains(&asked) => Seen::VersionNotSupported,
        None => Seen::VersionNotSupported,
        Some(asked) if asked == name => Seen::In(asked),
        Some(asked) if asked == V1_0 && binding == Binding::Rest => Seen::NoSuchTenant,
        Some(_) => Seen::NoSuchName,
    }
}

async fn seen(
    served: &Served,
    binding: Binding,
    header: Option<&str>,
    name: ProtocolVersion,
) -> Seen {
    match binding {
        Binding::JsonRpc => json_rpc(served, header, name).await,
        Binding::Rest => rest(served, header, name).await,
        Binding::Grpc => grpc(served, header, name).await,
    }
}

async fn json_rpc(served: &Served, header: Option<&str>, name: ProtocolVersion) -> Seen {
    let method = if name == V0_3 { "tasks/get" } else { "GetTask" };
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"id": "none"}});
    let client = Client::new(served.addr, Binding::JsonRpc).version(header);
    let answer = client.json_rpc_post(body.to_string()).await;
    let error = answer.json()["error"].clone();
    match error["code"].as_i64() {
        Some(-32001) if error.get("data").is_some() => Seen::In(V1_0),
        Some(-32001) => Seen::In(V0_3),
        Some(-32009) => Seen::VersionNotSupported,
        Some(-32601) => {
            names_the_other(&error["message"], name);
            Seen::NoSuchName
        }
        _ => panic!("{answer:?}"),
    }
}

fn names_the_other(message: &Value, name: ProtocolVersion) {
    let message = message.as_str().unwrap();
    assert!(message.contains(&format!("A2A {name}")), "{message}");
    assert!(message.contains("A2A-Version"), "{message}");
}

async fn rest(served: &Served, header: Option<&str>, name: ProtocolVersion) -> Seen {
    let path = if name == V0_3 {
        "/v1/tasks/none"
    } else {
        "/tasks/none"
    };
    let mut request = ::http::Request::get(path);
    if let Some(header) = header {
        request = request.header("A2A-Version", header);
    }
    let answer = http::exchange(served.addr, request.body(Bytes::new()).unwrap()).await;
    let body = answer.json();
    if body["code"] == -32001 {
        assert_eq!(answer.status, 404);
        assert!(
            body["message"].is_string() && body.get("error").is_none(),
            "{body}"
        );
        return Seen::In(V0_3);
    }
    let reason = |body: &Value| body["error"]["details"][0]["reason"].clone();
    match reason(&body).as_str() {
        Some("TASK_NOT_FOUND") => Seen::In(V1_0),
        Some("VERSION_NOT_SUPPORTED") => Seen::VersionNotSupported,
        None if body["error"]["details"][0]["fieldViolations"][0]["field"] == "tenant" => {
            assert!(answer.text().contains("0.3"), "{body}");
            Seen::NoSuchTenant
        }
        None if answer.status == 404 && body["code"].is_number() => {
            names_the_other(&body["message"], name);
            Seen::NoSuchName
        }
        _ => panic!("{answer:?}"),
    }
}

async fn grpc(served: &Served, header: Option<&str>, name: ProtocolVersion) -> Seen {
    // Both requests have a text as their first field: a resource name, or a tenant that is left out.
    let (path, message): (_, &[u8]) = if name == V0_3 {
        ("/a2a.v1.A2AService/GetTask", b"\x0a\x0atasks/none")
    } else {
        ("/lf.a2a.v1.A2AService/GetTask", b"\x12\x04none")
    };
    let mut frame = vec![0, 0, 0, 0, u8::try_from(message.len()).unwrap()];
    frame.extend_from_slice(message);
    let client = Client::new(served.addr, Binding::Grpc).version(header);
    let fault: Fault = client.grpc_raw(path, frame).await.unwrap_err();
    match (fault.reason(), fault.code) {
        ("TASK_NOT_FOUND", 5) if fault.message.starts_with("TaskNotFoundError: ") => Seen::In(V0_3),
        ("TASK_NOT_FOUND", 5) => Seen::In(V1_0),
        ("VERSION_NOT_SUPPORTED", 9) => Seen::VersionNotSupported,
        _ => panic!("{fault:?}"),
    }
}

#[tokio::test]
async fn every_header_with_every_name_on_every_binding() {
    let mut cases = 0;
    for versions in [&[V1_0][..], &[V0_3], &[V1_0, V0_3]] {
        let served = serving(Setup::new(), versions).start().await;
        for binding in Binding::ALL {
            for header in HEADERS {
                for name in [V0_3, V1_0] {
                    assert_eq!(
                        seen(&served, binding, header.0, name).await,
                        expected(binding, versions, header, name),
                        "{binding:?}, served {versions:?}, A2A-Version {header:?}, a name of {name}"
                    );
                    cases += 1;
                }
            }
        }
    }
    assert_eq!(cases, 3 * 3 * 7 * 2);
}

/// I3, I4 and I6 of the field's own list.
#[tokio::test]
async fn the_header_in_any_case_is_one_header() {
    let served = serving(Setup::new(), &[V1_0]).start().await;
    for binding in Binding::ALL {
        assert_eq!(
            seen(&served, binding, None, V1_0).await,
            Seen::VersionNotSupported
        );
        assert_eq!(
            seen(&served, binding, Some("1.0"), V1_0).await,
            Seen::In(V1_0)
        );
        assert_eq!(
            seen(&served, binding, Some("9.9"), V1_0).await,
            Seen::VersionNotSupported
        );
    }
    // Over HTTP/1.1 the letters are what a client writes.
    for name in ["A2A-Version", "a2a-version", "A2A-VERSION"] {
        let request = format!(
            "GET /tasks/none HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{name}: 1.0\r\n\r\n"
        );
        let answer = http::raw(served.addr, request.as_bytes()).await;
        assert!(answer.contains("TASK_NOT_FOUND"), "{answer}");
    }
}

#[tokio::test]
async fn a_query_parameter_says_the_version_too() {
    let served = serving(Setup::new(), &[V1_0, V0_3]).start().await;
    for (target, expected) in [
        ("/tasks/none?A2A-Version=1.0", V1_0),
        ("/v1/tasks/none?A2A-Version=0.3", V0_3),
        ("/v1/tasks/none", V0_3),
    ] {
        let request = ::http::Request::get(target).body(Bytes::new()).unwrap();
        let body = http::exchange(served.addr, request).await.json();
        let found = if body["code"] == -32001 { V0_3 } else { V1_0 };
        assert!(body.to_string().contains("none"), "{body}");
        assert_eq!(found, expected, "{target}");
    }
}

#[tokio::test]
async fn a_binding_serves_the_versions_of_its_own_interfaces() {
    let served = Setup::new().card(|card| {
        let interface = |binding: &str, version: &str| {
            let mut interface = e2e::card::interface(binding, "");
            interface.protocol_version = version.into();
            interface
        };
        card.supported_interfaces = vec![
            interface("HTTP+JSON", "0.3"),
            interface("JSONRPC", "1.0"),
            interface("GRPC", "0.3"),
            interface("GRPC", "1.0"),
        ];
    });
    let served = served.start().await;
    let both: &[ProtocolVersion] = &[V1_0, V0_3];
    for (binding, versions) in [
        (Binding::Rest, &[V0_3][..]),
        (Binding::JsonRpc, &[V1_0]),
        (Binding::Grpc, both),
    ] {
        for header in HEADERS {
            for name in [V0_3, V1_0] {
                assert_eq!(
                    seen(&served, binding, header.0, name).await,
                    expected(binding, versions, header, name),
                    "{binding:?} {header:?} {name}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_version_that_is_not_named_may_be_inferred() {
    let inferring = |versions: &[ProtocolVersion]| {
        serving(Setup::new(), versions).server(|server| server.infer_version(true))
    };
    for versions in [&[V1_0][..], &[V0_3], &[V1_0, V0_3]] {
        let served = inferring(versions).start().await;
        for binding in Binding::ALL {
            for header in HEADERS {
                for name in [V0_3, V1_0] {
                    let says_nothing = matches!(header.0, None | Some(""));
                    let inferred = says_nothing && name == V1_0 && versions.contains(&V1_0);
                    let expected = if inferred {
                        Seen::In(V1_0)
                    } else {
                        expected(binding, versions, header, name)
                    };
                    assert_eq!(
                        seen(&served, binding, header.0, name).await,
                        expected,
                        "{binding:?}, served {versions:?}, A2A-Version {header:?}, a name of {name}"
                    );
                }
            }
        }
    }
    // What is of neither version, or cannot be read, is answered as it is without the switch.
    let served = inferring(&[V1_0, V0_3]).start().await;
    let client = Client::new(served.addr, Binding::JsonRpc).version(None);
    for (body, code) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"Nothing"}"#, -32601),
        ("{", -32700),
        ("[]", -32600),
    ] {
        let error = client.json_rpc_post(body.to_owned()).await.json()["error"].clone();
        assert_eq!(error["code"], code, "{error}");
        assert!(error.get("data").is_none(), "{error}");
    }
    // A version in the query is one that is named.
    let request = ::http::Request::get("/tasks/none?a2a-version=0.3").body(Bytes::new());
    let answer = http::exchange(served.addr, request.unwrap()).await;
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("A2A-Version"), "{answer:?}");
}
