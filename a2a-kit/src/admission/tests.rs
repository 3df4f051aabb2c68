use a2a_wire::v1_0::{AgentCapabilities, AgentExtension, AgentInterface};
use http::Request;

use super::*;
use crate::A2A_SERVICE;
use crate::probe::PROBE;

fn parts(target: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = Request::get(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

fn version(target: &str, headers: &[(&str, &str)]) -> Result<String, Error> {
    call_context(&PROBE, Binding::Rest, &parts(target, headers))
        .map(|context| context.version().to_string())
}

#[test]
fn the_version_is_read_from_header_or_query() {
    type Headers = &'static [(&'static str, &'static str)];
    let cases: &[(&str, Headers, &str)] = &[
        ("/", &[], "0.3"),
        ("/", &[("a2a-version", "")], "0.3"),
        ("/", &[("a2a-version", "  ")], "0.3"),
        ("/", &[("a2a-version", "1.0")], "1.0"),
        ("/", &[("A2A-Version", "1.0")], "1.0"),
        ("/", &[("A2a-vErsion", " 1.0 ")], "1.0"),
        ("/", &[("A2A-Version", "1.0.1")], "1.0"),
        ("/", &[("A2A-Version", "1.0.99")], "1.0"),
        ("/", &[("A2A-Version", "0.30")], "0.30"),
        ("/", &[("A2A-Version", "9.9")], "9.9"),
        (
            "/",
            &[("A2A-Version", "1.0"), ("A2A-Version", "1.0.2")],
            "1.0",
        ),
        ("/?A2A-Version=1.0", &[], "1.0"),
        ("/?a2a-version=1.0", &[], "1.0"),
        ("/?x=1&A2A-VERSION=1.0&y", &[], "1.0"),
        ("/?A2A%2DVersion=1%2E0", &[], "1.0"),
        ("/?A2A-Version=+1.0+", &[], "1.0"),
        ("/?A2A-Version=", &[], "0.3"),
        ("/?A2A-Version", &[], "0.3"),
        ("/?A2A-Version=0.3", &[("A2A-Version", "1.0")], "1.0"),
        ("/?A2A-Version=rubbish", &[("A2A-Version", "1.0")], "1.0"),
        ("/?A2A-Version=1.0", &[("A2A-Version", "")], "1.0"),
        ("/?NotA2A-Version=1.0", &[], "0.3"),
    ];
    for (target, headers, expected) in cases {
        assert_eq!(
            version(target, headers).unwrap(),
            *expected,
            "{target} {headers:?}"
        );
    }
}

#[test]
fn what_is_no_version_is_refused_as_version_not_supported() {
    let values = [
        "1",
        "v1.0",
        "1.",
        ".0",
        "1.0.0.0",
        "01.0",
        "1.00",
        "1.0, 1.0",
        "1.0;q=1",
        "latest",
        "1,0",
        "-1.0",
        "1.x",
        "99999999999.0",
    ];
    for value in values {
        let error = version("/", &[("A2A-Version", value)]).unwrap_err();
        assert!(error.is_version_not_supported(), "{value}");
        let error =
            version(&format!("/?A2A-Version={value}").replace(' ', "%20"), &[]).unwrap_err();
        assert!(error.is_version_not_supported(), "{value} in the query");
    }
    let error = version("/", &[("A2A-Version", "1.0"), ("A2A-Version", "0.3")]).unwrap_err();
    assert!(error.is_version_not_supported());
    // Bytes that are no text.
    let mut parts = parts("/?A2A-Version=%FF", &[]);
    assert!(
        call_context(&PROBE, Binding::Rest, &parts)
            .unwrap_err()
            .is_version_not_supported()
    );
    parts
        .headers
        .insert(VERSION, http::HeaderValue::from_bytes(b"1.0\xff").unwrap());
    assert!(
        call_context(&PROBE, Binding::Rest, &parts)
            .unwrap_err()
            .is_version_not_supported()
    );
}

#[test]
fn extensions_are_read_from_lists_and_repeated_headers() {
    let extensions = |headers: &[(&str, &str)]| {
        call_context(&PROBE, Binding::Rest, &parts("/", headers))
            .unwrap()
            .extensions()
            .to_vec()
    };
    assert_eq!(extensions(&[]), [""; 0]);
    assert_eq!(extensions(&[("A2A-Extensions", "")]), [""; 0]);
    assert_eq!(extensions(&[("A2A-Extensions", " , ,")]), [""; 0]);
    assert_eq!(
        extensions(&[("a2a-extensions", "https://a/1,https://b/1")]),
        ["https://a/1", "https://b/1"]
    );
    assert_eq!(
        extensions(&[
            ("A2A-Extensions", "https://a/1 ,\thttps://b/1"),
            ("A2A-EXTENSIONS", "https://c/1,https://a/1")
        ]),
        ["https://a/1", "https://b/1", "https://c/1"]
    );
    // The name in v0.3; the URIs themselves keep their case.
    assert_eq!(
        extensions(&[
            ("X-A2A-Extensions", "https://A/1"),
            ("A2A-Extensions", "https://a/1")
        ]),
        ["https://a/1", "https://A/1"]
    );
}

#[test]
fn the_caller_comes_from_a_layer_in_front() {
    let mut request = Request::get("/").body(()).unwrap();
    request.extensions_mut().insert(Caller::known("alice"));
    let context = call_context(&PROBE, Binding::Rest, &request.into_parts().0).unwrap();
    assert_eq!(context.caller().id(), Some("alice"));
    assert_eq!(
        call_context(&PROBE, Binding::Rest, &parts("/", &[]))
            .unwrap()
            .caller()
            .id(),
        None
    );
}

#[test]
fn a_service_without_a_version_takes_the_header_for_any_other() {
    static OTHER: ServiceSpec = ServiceSpec {
        version: None,
        ..PROBE
    };
    assert!(
        call_context(
            &OTHER,
            Binding::Rest,
            &parts("/", &[("A2A-Version", "rubbish")])
        )
        .is_ok()
    );
}

fn card(interfaces: &[(&str, &str)]) -> AgentCard {
    let mut card = AgentCard::default();
    for (binding, version) in interfaces {
        let mut interface = AgentInterface::default();
        interface.url = "http://127.0.0.1:1/".into();
        interface.protocol_binding = (*binding).into();
        interface.protocol_version = (*version).into();
        card.supported_interfaces.push(interface);
    }
    card.capabilities = Some(AgentCapabilities::default());
    card
}

fn context(binding: Binding, version: &str) -> CallContext {
    CallContext::new(binding, version.parse().unwrap())
}

#[test]
fn versions_are_admitted_by_interface() {
    let admission = CardAdmission::new(&card(&[
        ("JSONRPC", "0.3"),
        ("jsonrpc", "1.0.1"),
        ("GRPC", "1.0"),
        ("urn:custom", "1.0"),
    ]));
    let cases = [
        (Binding::JsonRpc, "1.0", true),
        // Declared, but this service does not speak it.
        (Binding::JsonRpc, "0.3", false),
        (Binding::Grpc, "1.0", true),
        (Binding::Grpc, "0.3", false),
        (Binding::Grpc, "1.1", false),
        (Binding::Rest, "1.0", false),
        (Binding::Local, "0.3", true),
    ];
    for (binding, version, admitted) in cases {
        let context = context(binding, version);
        for result in [
            admission.admit_version(&A2A_SERVICE, &context),
            admission
                .admit(&A2A_SERVICE, &A2A_SERVICE.operations[0], context)
                .map(drop),
        ] {
            assert_eq!(result.is_ok(), admitted, "{binding:?} {version}");
            if let Err(error) = result {
                assert!(error.is_version_not_supported());
                assert_eq!(error.metadata()["requestedVersion"], version);
            }
        }
    }
    assert!(admission.declares(Binding::JsonRpc));
    assert!(!admission.declares(Binding::Rest));
}

#[test]
fn the_refusal_of_a_version_says_what_to_send() {
    let admission = CardAdmission::new(&card(&[("JSONRPC", "1.0")]));
    let context = call_context(&PROBE, Binding::JsonRpc, &parts("/", &[])).unwrap();
    let error = admission.admit_version(&PROBE, &context).unwrap_err();
    assert_eq!(
        error.message(),
        "A2A version 0.3 is not supported: without A2A-Version a call is in version 0.3; send A2A-Version: 1.0"
    );
    assert_eq!(error.metadata()["supportedVersions"], "1.0");
}

fn extension(uri: &str, required: bool) -> AgentExtension {
    let mut extension = AgentExtension::default();
    extension.uri = uri.into();
    extension.required = required;
    extension
}

#[test]
fn required_extensions_must_be_declared_on_every_operation() {
    let mut card = card(&[("JSONRPC", "1.0"), ("GRPC", "1.0"), ("HTTP+JSON", "1.0")]);
    let capabilities = card.capabilities.as_mut().unwrap();
    capabilities.streaming = Some(true);
    capabilities.push_notifications = Some(true);
    capabilities.extended_agent_card = Some(true);
    capabilities.extensions = vec![
        extension("https://a/1", true),
        extension("https://b/1", true),
        extension("https://c/1", false),
    ];
    let admission = CardAdmission::new(&card);
    for binding in [Binding::JsonRpc, Binding::Grpc, Binding::Rest] {
        for operation in A2A_SERVICE.operations {
            let call = |extensions: &[&str]| {
                let asked = extensions.iter().map(ToString::to_string).collect();
                admission.admit(
                    &A2A_SERVICE,
                    operation,
                    context(binding, "1.0").with_extensions(asked),
                )
            };
            for missing in [
                &[][..],
                &["https://a/1"],
                &["https://a/1", "https://b/2"],
                &["https://a/1", "https://B/1"],
            ] {
                let error = call(missing).unwrap_err();
                assert!(
                    error.is_extension_support_required(),
                    "{} {missing:?}",
                    operation.name
                );
                assert!(error.metadata()["requiredExtensions"].contains("https://b/1"));
            }
            let admitted = call(&[
                "https://b/1",
                "https://a/1",
                "https://unknown/1",
                "https://c/2",
            ])
            .unwrap();
            assert_eq!(
                admitted.activated_extensions(),
                ["https://b/1", "https://a/1"],
                "never another version"
            );
        }
    }
}

#[test]
fn capabilities_that_are_not_declared_are_refused() {
    let interfaces = [("JSONRPC", "1.0")];
    let named = |name: &str| {
        A2A_SERVICE
            .operations
            .iter()
            .find(|operation| operation.name == name)
            .unwrap()
    };
    let admit = |card: &AgentCard, name: &str| {
        CardAdmission::new(card).admit(&A2A_SERVICE, named(name), context(Binding::JsonRpc, "1.0"))
    };
    let mut nothing = card(&interfaces);
    nothing.capabilities = None;
    let mut refused = card(&interfaces);
    let capabilities = refused.capabilities.as_mut().unwrap();
    (
        capabilities.streaming,
        capabilities.push_notifications,
        capabilities.extended_agent_card,
    ) = (Some(false), Some(false), Some(false));
    for card in [&nothing, &card(&interfaces), &refused] {
        for name in [
            "SendStreamingMessage",
            "SubscribeToTask",
            "GetExtendedAgentCard",
        ] {
            assert!(
                admit(card, name).unwrap_err().is_unsupported_operation(),
                "{name}"
            );
        }
        for operation in A2A_SERVICE
            .operations
            .iter()
            .filter(|operation| operation.name.contains("PushNotificationConfig"))
        {
            assert!(
                admit(card, operation.name)
                    .unwrap_err()
                    .is_push_notification_not_supported(),
                "{}",
                operation.name
            );
        }
        for name in ["SendMessage", "GetTask", "ListTasks", "CancelTask"] {
            assert!(admit(card, name).is_ok(), "{name}");
        }
    }
    let mut declared = card(&interfaces);
    let capabilities = declared.capabilities.as_mut().unwrap();
    (
        capabilities.streaming,
        capabilities.push_notifications,
        capabilities.extended_agent_card,
    ) = (Some(true), Some(true), Some(true));
    for operation in A2A_SERVICE.operations {
        assert!(
            admit(&declared, operation.name).is_ok(),
            "{}",
            operation.name
        );
    }
}

#[test]
fn activated_extensions_are_echoed_in_one_header() {
    let context = context(Binding::Rest, "1.0");
    let mut headers = HeaderMap::new();
    echo_extensions(&A2A_SERVICE, &context, &mut headers);
    assert!(headers.is_empty());
    context.activate_extension("https://a/1");
    context.activate_extension("https://b/1");
    context.activate_extension("https://a/1");
    echo_extensions(&A2A_SERVICE, &context, &mut headers);
    assert_eq!(headers["a2a-extensions"], "https://a/1, https://b/1");
}
