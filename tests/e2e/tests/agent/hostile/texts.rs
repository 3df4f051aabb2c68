//! Texts that are none, and texts that nobody would choose.

use e2e::client::http;
use e2e::{Binding, Setup, request};
use serde_json::json;

use super::{Attack, Verdict, envelope, field, framed, rich};

#[tokio::test]
async fn text_that_is_no_utf_8() {
    let mut attack = Attack::new(Setup::new()).await;
    let params = rich().to_string();
    for bad in [
        &b"\xff"[..],
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x80",
    ] {
        for place in ["m 1", "report", "a.test", "messageId", "text/plain"] {
            let at = params.find(place).expect("a place");
            let mut broken = params.clone().into_bytes();
            broken.splice(at..at, bad.iter().copied());
            assert_eq!(
                attack.rest("/message:send", broken).await,
                Verdict::Refused(400),
                "{bad:?} {place}"
            );
            let mut broken = envelope(&params).into_bytes();
            let at = at + envelope("").find("params\":").expect("params") + 8;
            broken.splice(at..at, bad.iter().copied());
            assert_eq!(
                attack.json_rpc(broken).await,
                Verdict::Refused(-32700),
                "{bad:?} {place}"
            );
        }
        let message = [field(1, bad), vec![0x20, 1], field(5, &field(1, b"hi"))].concat();
        assert_eq!(
            attack.grpc(framed(&field(2, &message))).await,
            Verdict::Refused(3),
            "{bad:?}"
        );
        let message = [field(1, b"m"), vec![0x20, 1], field(5, &field(1, bad))].concat();
        assert_eq!(
            attack.grpc(framed(&field(2, &message))).await,
            Verdict::Refused(3),
            "{bad:?}"
        );
    }
    for path in [
        "/tasks/%ff",
        "/tasks/%c0%80",
        "/tasks/%",
        "/tasks/%zz",
        "/tasks/%e2%80:cancel",
        "/tasks?contextId=%ff",
        "/tasks?%ff=1",
        "/tasks/a/pushNotificationConfigs/%ff",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let answer = http::call(attack.served.addr, method, path).await;
            let status = answer.status.as_u16();
            assert!(
                (400..500).contains(&status) || (path.contains("?%ff") && status == 200),
                "{method} {path}: {answer:?}"
            );
        }
    }
    attack.end().await;
}

#[tokio::test]
async fn ids_with_control_characters() {
    let served = Setup::new().start().await;
    let ids = [
        "\u{0}",
        "a\r\nx-evil: 1",
        "\u{7f}",
        "\u{1b}[31m",
        "\u{2028}\u{2029}\u{85}",
        "\u{202e}\u{feff}",
        "../../etc",
        "%00",
        "\u{10ffff}",
        " ",
        "\t",
    ];
    for id in ids {
        let mut faults = Vec::new();
        for binding in Binding::ALL {
            let client = served.client(binding);
            let fault = client.fault("GetTask", json!({"id": id})).await;
            fault.assert_is(e2e::errors::TASK_NOT_FOUND);
            assert_eq!(fault.metadata("taskId"), id, "{binding:?}");
            assert!(!fault.headers.contains_key("x-evil"), "{fault:?}");
            faults.push(fault.message);

            // As ids of the client's own they are texts like any other.
            let mut odd = request("ask what?");
            odd["message"]["messageId"] = id.into();
            odd["message"]["contextId"] = id.into();
            let task = client.send(odd).await;
            assert_eq!(
                (
                    task["contextId"].as_str(),
                    task["history"][0]["messageId"].as_str()
                ),
                (Some(id), Some(id)),
                "{binding:?}"
            );
            let listed = client.ok("ListTasks", json!({"contextId": id})).await;
            assert!(
                listed["totalSize"].as_i64() >= Some(1),
                "{binding:?} {id:?}: {listed}"
            );
            let hook = json!({"taskId": task["id"], "id": id, "url": "https://a.test/"});
            assert_eq!(
                client.ok("CreateTaskPushNotificationConfig", hook).await["id"],
                id
            );
            let get = json!({"taskId": task["id"], "id": id});
            assert_eq!(
                client.ok("GetTaskPushNotificationConfig", get).await["id"],
                id,
                "{binding:?}"
            );
        }
        assert!(
            faults.iter().all(|message| *message == faults[0]),
            "{faults:?}"
        );
    }
}

#[tokio::test]
async fn ids_of_any_length() {
    let served = Setup::new()
        .server(|server| server.request_limit(1 << 20))
        .start()
        .await;
    let long = "é".repeat(5_000);
    for binding in Binding::ALL {
        let client = served.client(binding);
        let outcome = client.call("CancelTask", json!({"id": long})).await;
        let fault = outcome.expect_err("refused");
        fault.assert_is(e2e::errors::TASK_NOT_FOUND);
        assert!(
            fault.message.len() < 2_000 && fault.metadata("taskId").len() < 2_000,
            "{fault:?}"
        );
    }
}
