use std::error::Error as _;

use http_body_util::BodyExt as _;

use super::*;
use crate::client::scripted::{Act, ScriptedServer};

const HELLO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

fn get(url: &str) -> Request<Bytes> {
    Request::get(url).body(Bytes::new()).unwrap()
}

fn http2(url: &str) -> Request<Bytes> {
    let mut request = get(url);
    *request.version_mut() = Version::HTTP_2;
    request
}

fn short() -> Option<Duration> {
    Some(Duration::from_millis(40))
}

async fn text(response: Response<Body>) -> Result<Vec<u8>, TransportError> {
    match response.into_body().collect().await {
        Ok(body) => Ok(body.to_bytes().to_vec()),
        Err(error) => Err(*error.downcast().unwrap()),
    }
}

#[tokio::test]
async fn a_target_is_sent_as_it_was_built() {
    let server = ScriptedServer::start([Act::Keep(HELLO.into()), Act::Keep(HELLO.into())]).await;
    let transport = HttpTransport::new();
    for target in ["/a/%2e%2e/b:c?x=%20&y=%2F", "/a/../b//c?"] {
        let response = transport
            .send(
                get(&format!("{}{target}", server.url())),
                CallOptions::default(),
            )
            .await
            .unwrap();
        assert_eq!(text(response).await.unwrap(), b"hello");
    }
    let lines: Vec<String> = server
        .seen()
        .iter()
        .map(|request| request.lines().next().unwrap().to_owned())
        .collect();
    assert_eq!(
        lines,
        [
            "GET /a/%2e%2e/b:c?x=%20&y=%2F HTTP/1.1",
            "GET /a/../b//c? HTTP/1.1"
        ]
    );
    let head = server.seen().remove(0).to_ascii_lowercase();
    assert!(
        head.contains(&format!("\r\nhost: {}\r\n", server.address)),
        "{head}"
    );
    assert!(head.contains("\r\nuser-agent: a2a-kit/"), "{head}");
    for absent in ["cookie", "accept-encoding", "upgrade"] {
        assert!(!head.contains(&format!("\r\n{absent}:")), "{head}");
    }
}

#[tokio::test]
async fn redirects_and_cookies_are_left_to_the_caller() {
    let moved = "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n";
    let server = ScriptedServer::start([Act::Keep(moved.into()), Act::Keep(HELLO.into())]).await;
    let transport = HttpTransport::new();
    let response = transport
        .send(get(&server.url()), CallOptions::default())
        .await
        .unwrap();
    assert_eq!(
        (response.status().as_u16(), &response.headers()["location"]),
        (307, &"http://127.0.0.1:1/".parse().unwrap())
    );
    drop(text(response).await);
    transport
        .send(get(&server.url()), CallOptions::default())
        .await
        .unwrap();
    assert!(!server.seen()[1].to_ascii_lowercase().contains("cookie"));
}

#[tokio::test]
async fn a_refused_connection_has_sent_nothing() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for request in [
        get(&format!("http://{address}/secret?key=secret")),
        http2(&format!("http://{address}/")),
    ] {
        let error = HttpTransport::new()
            .send(request, CallOptions::default())
            .await
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.is_unsent()),
            (TransportErrorKind::Connect, true),
            "{error:?}"
        );
        let message = error.to_string();
        assert!(
            message.starts_with(&format!("cannot connect to http://{address}: ")),
            "{message}"
        );
        assert!(
            message.to_lowercase().contains("refused") && !message.contains("secret"),
            "{message}"
        );
        assert!(error.source().is_some());
    }
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_said() {
    let error = HttpTransport::new()
        .send(get("http://nowhere.invalid/"), CallOptions::default())
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.is_unsent()),
        (TransportErrorKind::Connect, true),
        "{error:?}"
    );
    assert!(error.to_string().contains("nowhere.invalid"), "{error}");
}

#[tokio::test]
async fn what_cannot_be_sent_is_said_before() {
    let error = HttpTransport::new()
        .send(get("ftp://h/?key=secret"), CallOptions::default())
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.is_unsent()),
        (TransportErrorKind::Request, true),
        "{error:?}"
    );
}

#[test]
fn without_a_runtime_there_is_an_error_and_no_panic() {
    let transport = HttpTransport::new();
    let call = transport.send(get("http://127.0.0.1:1/"), CallOptions::default());
    let mut call = std::pin::pin!(call);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match call.as_mut().poll(&mut cx) {
        std::task::Poll::Ready(Err(error)) => {
            assert!(
                error.is_unsent() && error.to_string().contains("tokio"),
                "{error:?}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    for options in [
        CallOptions {
            head: short(),
            ..CallOptions::default()
        },
        CallOptions {
            total: short(),
            ..CallOptions::default()
        },
    ] {
        let server = ScriptedServer::start([Act::Stall(Vec::new())]).await;
        let error = HttpTransport::new()
            .send(get(&server.url()), options)
            .await
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.is_unsent()),
            (TransportErrorKind::Timeout, false),
            "{error:?}"
        );
        assert!(error.to_string().contains("40ms"), "{error}");
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_is_given_up() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf";
    for (options, says) in [
        (
            CallOptions {
                idle: short(),
                ..CallOptions::default()
            },
            "nothing came from",
        ),
        (
            CallOptions {
                total: short(),
                ..CallOptions::default()
            },
            "did not end its answer in time",
        ),
        (
            CallOptions {
                total: Some(Duration::from_secs(60)),
                idle: short(),
                head: None,
            },
            "nothing came from",
        ),
        (
            CallOptions {
                idle: Some(Duration::from_secs(60)),
                total: short(),
                head: None,
            },
            "did not end its answer in time",
        ),
    ] {
        let server = ScriptedServer::start([Act::Stall(head.into())]).await;
        let response = HttpTransport::new()
            .send(get(&server.url()), options)
            .await
            .unwrap();
        let error = text(response).await.unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Timeout, "{error:?}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[tokio::test]
async fn signs_of_life_keep_a_stream_open() {
    tokio::time::pause();
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel::<Bytes>();
    let idle = Duration::from_secs(10);
    let pieces = futures_util::stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|piece| {
            (
                Ok::<_, std::convert::Infallible>(http_body::Frame::data(piece)),
                receiver,
            )
        })
    });
    let body = Timed::new(
        http_body_util::StreamBody::new(Box::pin(pieces)),
        "h".to_owned(),
        Some(idle),
        None,
    );
    let mut body = std::pin::pin!(body);
    let started = Instant::now();
    for _ in 0..5 {
        tokio::time::advance(Duration::from_secs(9)).await;
        sender.send(Bytes::from_static(b"x")).unwrap();
        assert!(body.frame().await.unwrap().unwrap().is_data());
    }
    let error = body.frame().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Timeout);
    assert_eq!(started.elapsed().as_secs(), 5 * 9 + 10);
}

#[tokio::test]
async fn connections_that_break_may_have_brought_the_request() {
    let cases = [
        "",
        "HTTP/1.1 200",
        "<html>",
        "HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
    ];
    for bytes in cases {
        let server = ScriptedServer::start([Act::Close(bytes.into())]).await;
        let error = HttpTransport::new()
            .send(get(&server.url()), CallOptions::default())
            .await
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.is_unsent()),
            (TransportErrorKind::Broken, false),
            "{bytes:?}: {error:?}"
        );
        assert!(error.to_string().contains(&server.url()), "{error}");
        assert!(error.source().is_some());
    }
    for bytes in [
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ] {
        let server = ScriptedServer::start([Act::Close(bytes.into())]).await;
        let response = HttpTransport::new()
            .send(get(&server.url()), CallOptions::default())
            .await
            .unwrap();
        let error = text(response).await.unwrap_err();
        assert_eq!(
            error.kind(),
            TransportErrorKind::Broken,
            "{bytes:?}: {error:?}"
        );
    }
}

#[tokio::test]
async fn a_kept_connection_that_the_server_has_closed_is_replaced() {
    let server = ScriptedServer::start([
        Act::Close(HELLO.into()),
        Act::Close(HELLO.into()),
        Act::Close(HELLO.into()),
    ])
    .await;
    let transport = HttpTransport::new();
    for _ in 0..3 {
        let response = transport
            .send(get(&server.url()), CallOptions::default())
            .await
            .unwrap();
        assert_eq!(text(response).await.unwrap(), b"hello");
        // The end of the connection is noticed by the task that reads it.
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn http2_is_not_spoken_to_a_server_that_knows_only_http1() {
    let server =
        ScriptedServer::start([Act::Close("HTTP/1.1 400 Bad Request\r\n\r\n".into())]).await;
    let options = CallOptions {
        head: Some(Duration::from_secs(5)),
        ..CallOptions::default()
    };
    let error = HttpTransport::new()
        .send(http2(&server.url()), options)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Broken, "{error:?}");
}

#[tokio::test]
async fn a_connection_that_takes_too_long_has_sent_nothing() {
    // It accepts, but speaks no TLS.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let transport = HttpTransport::builder()
        .connect_timeout(Duration::from_millis(40))
        .build()
        .unwrap();
    let error = transport
        .send(get(&url), CallOptions::default())
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.is_unsent()),
        (TransportErrorKind::Timeout, true),
        "{error:?}"
    );
    assert!(error.to_string().contains("40ms"), "{error}");
    // The call's own limit may come first.
    let patient = HttpTransport::new();
    let error = patient
        .send(
            get(&url),
            CallOptions {
                total: short(),
                ..CallOptions::default()
            },
        )
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.is_unsent()),
        (TransportErrorKind::Timeout, true),
        "{error:?}"
    );
}
