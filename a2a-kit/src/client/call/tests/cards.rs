//! Cards that grow old or are given, and what they may point to.

use super::*;

#[tokio::test]
async fn credentials_that_are_for_someone_else_are_named_in_the_refusal() {
    let script = Script::new(|_, _| status(401, "who are you"));
    let builder = Client::builder()
        .credentials(Credentials::bearer("secret").for_origin("https://cards.example"));
    let error = script
        .with(builder, json_rpc_card())
        .get_task("t1")
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.peer_status()),
        (Code::Unauthenticated, Some(401))
    );
    assert!(
        error.message().contains("https://cards.example:443")
            && error.message().contains("http://agent.example:80"),
        "{error}"
    );
    assert!(
        script.requests()[0]
            .headers()
            .get("authorization")
            .is_none()
    );
}

fn served(version: &str, name: &str) -> Value {
    let mut card = serde_json::to_value(card(&[("JSONRPC", "/rpc")])).unwrap();
    card["version"] = version.into();
    card["name"] = name.into();
    card
}

/// An agent with a card, which is asked for under conditions.
struct Agent {
    card: Value,
    etag: &'static str,
    extended: Option<Value>,
    down: bool,
}

fn agent(state: &Arc<Mutex<Agent>>) -> Script {
    let state = Arc::clone(state);
    Script::new(move |_, request| {
        let agent = state.lock().unwrap();
        if request.method() == http::Method::POST {
            return match (body(request)["method"].as_str(), &agent.extended) {
                (Some("GetExtendedAgentCard"), Some(extended)) => result(request, extended),
                _ => result(request, &task("COMPLETED")),
            };
        }
        if agent.down {
            return Err(broken());
        }
        let known = request
            .headers()
            .get("if-none-match")
            .is_some_and(|known| known == agent.etag);
        let answer = if known {
            status(304, "")
        } else {
            script::json_answer(&agent.card)
        };
        with_header(
            with_header(answer, "etag", agent.etag),
            "cache-control",
            "max-age=60",
        )
    })
}

#[tokio::test(start_paused = true)]
async fn the_card_is_asked_for_again_when_it_is_old() {
    let state = Arc::new(Mutex::new(Agent {
        card: served("1", "old"),
        etag: "\"a\"",
        extended: None,
        down: false,
    }));
    let script = agent(&state);
    let client = Client::builder()
        .transport(script.clone())
        .connect("http://agent.example")
        .await
        .unwrap();
    let cards = || {
        script
            .lines()
            .iter()
            .filter(|line| line.starts_with("GET"))
            .count()
    };
    client.get_task("t1").await.unwrap();
    assert_eq!(cards(), 1);
    assert_eq!(client.interface().url, "http://agent.example/rpc");

    // Old, and still the same.
    tokio::time::advance(Duration::from_secs(61)).await;
    client.get_task("t1").await.unwrap();
    client.get_task("t1").await.unwrap();
    assert_eq!(cards(), 2);
    assert_eq!(script.requests()[2].headers()["if-none-match"], "\"a\"");

    // Not to be had: calls go on with the one at hand, and it is not asked for with each of them.
    state.lock().unwrap().down = true;
    tokio::time::advance(Duration::from_secs(61)).await;
    client.get_task("t1").await.unwrap();
    client.get_task("t1").await.unwrap();
    assert_eq!(cards(), 3);
    assert!(client.refresh_card().await.is_err());

    // Another one.
    {
        let mut state = state.lock().unwrap();
        (state.down, state.etag, state.card) = (false, "\"b\"", served("2", "new"));
        state.card["supportedInterfaces"][0]["url"] = "/rpc2".into();
    }
    tokio::time::advance(Duration::from_secs(31)).await;
    client.get_task("t1").await.unwrap();
    assert_eq!(client.card().name, "new");
    assert_eq!(
        script.lines().last().unwrap(),
        "POST http://agent.example/rpc2"
    );
}

#[tokio::test(start_paused = true)]
async fn the_extended_card_stays_until_the_agent_has_another_version() {
    let extended = served("1", "extended");
    let state = Arc::new(Mutex::new(Agent {
        card: served("1", "public"),
        etag: "\"a\"",
        extended: Some(extended),
        down: false,
    }));
    let client = Client::builder()
        .transport(agent(&state))
        .connect("http://agent.example")
        .await
        .unwrap();
    assert_eq!(client.card().name, "public");
    assert_eq!(client.extended_card().await.unwrap().name, "extended");
    assert_eq!(client.card().name, "extended");
    // Another text of the same version, then another version.
    state.lock().unwrap().etag = "\"b\"";
    client.refresh_card().await.unwrap();
    assert_eq!(client.card().name, "extended");
    {
        let mut state = state.lock().unwrap();
        (state.etag, state.card) = ("\"c\"", served("2", "public 2"));
    }
    client.refresh_card().await.unwrap();
    assert_eq!(client.card().name, "public 2");
}

#[tokio::test]
async fn a_card_that_was_given_is_not_asked_for() {
    let script = Script::new(|_, request| result(request, &task("COMPLETED")));
    let client = script.client(json_rpc_card());
    assert_eq!(client.refresh_card().await.unwrap().name, "Scripted");
    assert!(script.lines().is_empty());
}

#[test]
fn a_card_without_an_interface_for_us_says_why() {
    let script = Script::new(|_, request| panic!("{request:?}"));
    let mut card = card(&[
        ("JSONRPC", "http://a.example"),
        ("carrier-pigeon", "coop 7"),
        ("HTTP+JSON", "/v1"),
        ("GRPC", "ftp://a.example"),
    ]);
    card.supported_interfaces[0].protocol_version = "0.2".into();
    let builder = || Client::builder().transport(script.clone());
    let error = builder().with_card(card.clone()).unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    for part in [
        "\"Scripted\"",
        "\"JSONRPC\" at \"http://a.example\" is of A2A 0.2",
        "\"coop 7\"",
        "ClientBuilder::base_url",
        "ftp",
    ] {
        assert!(error.message().contains(part), "{part}: {error}");
    }
    card.supported_interfaces.truncate(1);
    assert!(
        builder()
            .with_card(card.clone())
            .unwrap_err()
            .is_version_not_supported()
    );
    card.supported_interfaces.clear();
    assert!(
        builder()
            .with_card(card)
            .unwrap_err()
            .message()
            .contains("supportedInterfaces are empty")
    );
}

#[test]
fn the_address_of_an_operation_is_no_interface() {
    let script = Script::new(|_, request| panic!("{request:?}"));
    let card = card(&[
        ("HTTP+JSON", "http://a.example/v1/message:stream"),
        ("JSONRPC", "http://a.example/v1/message:stream?key=secret"),
    ]);
    // JSON-RPC has one address, whatever it is called.
    let client = script.with(Client::builder(), card.clone());
    assert_eq!(client.interfaces().len(), 1);
    assert_eq!(client.interface().protocol_binding, "JSONRPC");
    let error = Client::builder()
        .transport(script.clone())
        .bindings([Binding::Rest])
        .with_card(card)
        .unwrap_err();
    assert!(
        error.message().contains("SendStreamingMessage") && !error.message().contains("secret"),
        "{error}"
    );
    // Keys in addresses are not printed.
    assert!(!format!("{client:?}").contains("secret"), "{client:?}");
}

#[test]
fn cards_from_outside_do_not_point_inside() {
    let script = Script::new(|_, request| panic!("{request:?}"));
    let card = card(&[
        ("JSONRPC", "http://169.254.169.254/latest"),
        ("GRPC", "localhost:50051"),
    ]);
    let from = |base: &str| Client::builder().transport(script.clone()).base_url(base);
    let error = from("https://agent.example")
        .with_card(card.clone())
        .unwrap_err();
    assert!(
        error.message().contains("169.254.169.254")
            && error.message().contains("allow_any_address"),
        "{error}"
    );
    assert!(
        from("http://127.0.0.1:8080")
            .with_card(card.clone())
            .is_ok()
    );
    assert!(
        from("https://agent.example")
            .allow_any_address()
            .with_card(card.clone())
            .is_ok()
    );
    assert!(
        Client::builder()
            .transport(script.clone())
            .with_card(card)
            .is_ok()
    );
}
