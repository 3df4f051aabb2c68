//! Extensions (specification 3.2.6, 3.3.4, 4.6): asked for, required, told back.

use a2a_kit::A2A_SERVICE;
use e2e::{Answer, Binding, Client, Setup, card, errors, request, text};
use serde_json::json;

use crate::versions::{sample, samples};

const ONE: &str = "https://a.test/ext/one/v1";
const TWO: &str = "https://a.test/ext/two/v1?x=1";

fn with_both(required: bool) -> Setup {
    Setup::new().card(|card| {
        card::extension(card, ONE, required);
        card::extension(card, TWO, false);
    })
}

/// What the answer says is in use.
fn echoed(answer: &Answer) -> Vec<String> {
    let values = answer.headers.get_all("a2a-extensions").iter();
    let texts = values.map(|value| value.to_str().expect("a text").to_owned());
    let mut all: Vec<String> = texts
        .collect::<Vec<_>>()
        .join(",")
        .split(',')
        .map(|uri| uri.trim().to_owned())
        .collect();
    all.retain(|uri| !uri.is_empty());
    all
}

async fn known_to_the_agent(client: &Client) -> (String, Vec<String>) {
    let answer = client
        .call("SendMessage", request("extensions"))
        .await
        .expect("a task");
    (text(&answer.value["task"]), echoed(&answer))
}

#[tokio::test]
async fn a_required_extension_is_asked_for_on_every_operation_of_every_binding() {
    let served = with_both(true).start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for operation in A2A_SERVICE.operations {
            for declared in [
                None,
                Some(TWO),
                Some("https://a.test/ext/one/v2"),
                Some(""),
                Some("https://A.test/ext/one/v1"),
            ] {
                let client = match declared {
                    Some(declared) => client.clone().header("a2a-extensions", declared),
                    None => client.clone(),
                };
                let fault = client
                    .fault(operation.name, sample(operation.name, "t"))
                    .await;
                fault.assert_is(errors::EXTENSION_SUPPORT_REQUIRED);
                assert!(
                    fault.message.contains(ONE),
                    "it names the extension: {fault:?}"
                );
            }
        }
        // Declared, each of them works.
        let client = client.header("a2a-extensions", ONE);
        for (operation, request) in samples(&served, &client).await {
            let outcome = client.call(operation, request).await;
            let answer =
                outcome.unwrap_or_else(|fault| panic!("{operation} over {binding:?}: {fault:?}"));
            assert_eq!(echoed(&answer), [ONE], "{operation} over {binding:?}");
        }
    }
}

#[tokio::test]
async fn two_in_one_header_and_two_headers_are_the_same() {
    let served = with_both(false).start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let expected = (format!("{ONE} {TWO}"), vec![ONE.to_owned(), TWO.to_owned()]);
        for list in [
            format!("{ONE},{TWO}"),
            format!("{ONE} , {TWO}"),
            format!(" ,{ONE},,\t{TWO}, "),
            format!("{ONE},{TWO},{ONE}"),
        ] {
            let client = client.clone().header("a2a-extensions", &list);
            assert_eq!(
                known_to_the_agent(&client).await,
                expected,
                "{binding:?} {list:?}"
            );
        }
        let twice = client
            .clone()
            .header("a2a-extensions", ONE)
            .header("a2a-extensions", TWO);
        assert_eq!(known_to_the_agent(&twice).await, expected, "{binding:?}");
        let mixed = client
            .header("a2a-extensions", &format!("https://b.test/x, {ONE}"))
            .header("a2a-extensions", TWO);
        assert_eq!(known_to_the_agent(&mixed).await, expected, "{binding:?}");
    }
}

#[tokio::test]
async fn the_name_that_older_clients_use_is_understood() {
    let served = with_both(false).start().await;
    for binding in Binding::ALL {
        let client = served
            .client(binding)
            .header("x-a2a-extensions", TWO)
            .header("a2a-extensions", ONE);
        assert_eq!(
            known_to_the_agent(&client).await.0,
            format!("{ONE} {TWO}"),
            "{binding:?}"
        );
    }
}

#[tokio::test]
async fn only_extensions_of_the_card_are_activated_and_never_another_version() {
    let served = with_both(false).start().await;
    for binding in Binding::ALL {
        for unknown in [
            "https://a.test/ext/one/v2",
            "https://a.test/ext/one",
            "https://a.test/ext/one/v1/",
            "https://a.test/ext/two/v1",
            "x",
        ] {
            let client = served.client(binding).header("a2a-extensions", unknown);
            assert_eq!(
                known_to_the_agent(&client).await,
                (String::new(), vec![]),
                "{binding:?} {unknown}"
            );
        }
        assert_eq!(
            known_to_the_agent(&served.client(binding)).await,
            (String::new(), vec![]),
            "{binding:?}: none is asked for"
        );
    }
}

#[tokio::test]
async fn streams_tell_back_what_is_in_use_at_their_beginning() {
    let served = with_both(false).start().await;
    for binding in Binding::ALL {
        let client = served.client(binding).header("a2a-extensions", TWO);
        let answer = client
            .call("SendStreamingMessage", request("hello"))
            .await
            .expect("a stream");
        assert_eq!(echoed(&answer), [TWO], "{binding:?}");
    }
}

#[tokio::test]
async fn a_follow_up_must_declare_what_is_required_as_well() {
    let served = with_both(true).start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = client
            .clone()
            .header("a2a-extensions", ONE)
            .send(request("ask what?"))
            .await;
        let id = e2e::string(&task, "/id");
        client
            .fault("SendMessage", e2e::to_task(&id, "this"))
            .await
            .assert_is(errors::EXTENSION_SUPPORT_REQUIRED);
        client
            .fault("GetTask", json!({"id": id}))
            .await
            .assert_is(errors::EXTENSION_SUPPORT_REQUIRED);
    }
}

#[tokio::test]
async fn all_required_extensions_must_be_there() {
    let setup = Setup::new().card(|card| {
        card::extension(card, ONE, true);
        card::extension(card, TWO, true);
    });
    let served = setup.start().await;
    for binding in Binding::ALL {
        for (declared, missing) in [(ONE, TWO), (TWO, ONE)] {
            let client = served.client(binding).header("a2a-extensions", declared);
            let fault = client.fault("ListTasks", json!({})).await;
            fault.assert_is(errors::EXTENSION_SUPPORT_REQUIRED);
            assert!(fault.message.contains(missing), "{fault:?}");
        }
        let both = served
            .client(binding)
            .header("a2a-extensions", &format!("{TWO},{ONE}"));
        assert_eq!(known_to_the_agent(&both).await.0, format!("{TWO} {ONE}"));
    }
}
