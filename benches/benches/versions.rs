//! Calls of v0.3 over JSON-RPC against those of v1.0 with the same content: a request is read into
//! the same type, and an answer written from the same value. Fails when reading and writing together
//! take more than 1.25 times as long, for a task of 50 messages and 10 artifacts, or when a whole call
//! through the router does, large or small. Protobuf is for orientation.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;

use a2a_kit::jsonrpc::JsonRpc;
use a2a_kit::v0_3::Facade;
use a2a_kit::{A2aService, Body, BoxA2aService, CallContext, Dispatch, Error, Open, Shared};
use a2a_wire::WireMessage as _;
use a2a_wire::adapt::{self, Options};
use a2a_wire::v1_0::{
    Message, Part, Role, SendMessageConfiguration, SendMessageRequest, SendMessageResponse, Task,
    TaskState,
};
use a2a_wire::{v0_3, v0_3_json as old};
use benches::pairs::{Compared, best, compare};
use benches::sample;
use bytes::Bytes;
use http_body_util::BodyExt as _;

const LIMIT: f64 = 1.25;
const ROUNDS: usize = 1000;

fn main() -> ExitCode {
    if cfg!(debug_assertions) {
        println!(
            "versions: nothing is measured without optimisation; run `cargo bench -p benches`"
        );
        return ExitCode::SUCCESS;
    }
    let task = sample::task();
    let both = best(LIMIT, || both(&task, ROUNDS));
    println!("decode {:.2}", decode(&task, ROUNDS).ratio);
    println!("encode {:.2}", encode(&task, ROUNDS).ratio);
    println!("with one kind of part only:");
    for (name, task) in sample::kinds() {
        let both = self::both(&task, ROUNDS / 10);
        println!("  {name:<18} {:.2}", both.ratio);
    }
    println!("protobuf {:.2}", protobuf(&task, ROUNDS / 10).ratio);
    let (small, large) = (Call::small(), Call::large());
    // Of so little, two hundred bytes in and out, what a conversion costs once is a large part: the
    // place for what is lost, and the search for what kind of part it is. A call costs more.
    println!("messages of a small call {:.2}", small.codecs(ROUNDS).ratio);
    let limited = [
        ("decode and encode", both.ratio),
        (
            "messages of a large call",
            best(LIMIT, || large.codecs(ROUNDS)).ratio,
        ),
        ("small call", best(LIMIT, || small.routed(ROUNDS / 2)).ratio),
        ("large call", best(LIMIT, || large.routed(ROUNDS / 2)).ratio),
    ];
    for (name, ratio) in limited {
        println!("{name} {ratio:.2}  (limit {LIMIT:.2})");
    }
    if limited.iter().any(|(_, ratio)| *ratio > LIMIT) {
        eprintln!("v0.3 takes longer than it may: see benches/README.md");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn text_of(task: &Task) -> Vec<u8> {
    let mut text = Vec::new();
    old::write::<old::Task>(task, &Options::default(), &mut text).unwrap();
    text
}

fn both(task: &Task, rounds: usize) -> Compared {
    let (ours, theirs) = (text_of(task), sample::json(task));
    let (mut out, mut other) = (ours.clone(), theirs.clone());
    let options = Options::default();
    compare(
        rounds,
        || {
            let (task, _) = old::read::<old::Task>(black_box(&ours), &options).unwrap();
            out.clear();
            old::write::<old::Task>(black_box(&task), &options, &mut out).unwrap();
            black_box(&out);
        },
        || {
            let task = Task::read_json(black_box(&theirs)).unwrap();
            other.clear();
            black_box(&task).write_json(&mut other).unwrap();
            black_box(&other);
        },
    )
}

fn decode(task: &Task, rounds: usize) -> Compared {
    let (ours, theirs) = (text_of(task), sample::json(task));
    let options = Options::default();
    compare(
        rounds,
        || {
            black_box(old::read::<old::Task>(black_box(&ours), &options).unwrap());
        },
        || {
            black_box(Task::read_json(black_box(&theirs)).unwrap());
        },
    )
}

fn encode(task: &Task, rounds: usize) -> Compared {
    let (mut ours, mut theirs) = (text_of(task), sample::json(task));
    let options = Options::default();
    compare(
        rounds,
        || {
            ours.clear();
            old::write::<old::Task>(black_box(task), &options, &mut ours).unwrap();
            black_box(&ours);
        },
        || {
            theirs.clear();
            black_box(task).write_json(&mut theirs).unwrap();
            black_box(&theirs);
        },
    )
}

/// Protobuf of v0.3 that becomes a value of v1.0 and is written again, against protobuf of v1.0.
fn protobuf(task: &Task, rounds: usize) -> Compared {
    use prost::Message as _;
    let options = Options::default();
    let (down, _) = adapt::down::<_, v0_3::Task>(task.clone(), &options).unwrap();
    let (ours, theirs) = (
        Bytes::from(down.encode_to_vec()),
        Bytes::from(task.encode_to_vec()),
    );
    let (mut out, mut other) = (Vec::new(), Vec::new());
    compare(
        rounds,
        || {
            let old = v0_3::Task::decode(black_box(ours.clone())).unwrap();
            let (task, _) = adapt::up::<_, Task>(old, &options).unwrap();
            let (old, _) = adapt::down::<_, v0_3::Task>(task, &options).unwrap();
            out.clear();
            old.encode(&mut out).unwrap();
            black_box(&out);
        },
        || {
            let task = Task::decode(black_box(theirs.clone())).unwrap();
            other.clear();
            task.encode(&mut other).unwrap();
            black_box(&other);
        },
    )
}

/// A message that is sent, and what is answered.
struct Call {
    request: SendMessageRequest,
    answer: SendMessageResponse,
}

impl Call {
    fn new(parts: Vec<Part>, task: Task) -> Self {
        let message = Message::new()
            .with_message_id("7c9e6679-7425-40de-944b-e07fc1f90ae7")
            .with_role(Role::User)
            .with_parts(parts);
        // What is always written in one version and not in the other would be other content.
        let configuration = SendMessageConfiguration::new()
            .with_accepted_output_modes(["text/plain"])
            .with_return_immediately(true);
        Self {
            request: SendMessageRequest::new()
                .with_message(message)
                .with_configuration(configuration),
            answer: SendMessageResponse::task(task),
        }
    }

    fn small() -> Self {
        let status = a2a_wire::v1_0::TaskStatus::new().with_state(TaskState::Working);
        let task = Task::new()
            .with_id("0b9c5e10-6a0e-4c3c-9c3e-3f5a1d2b4c5d")
            .with_context_id("5f0c7c1e-2b66-4d3f-8d4b-0a1b2c3d4e5f")
            .with_status(status);
        Self::new(vec![Part::text("Check Star River Tech")], task)
    }

    fn large() -> Self {
        let task = sample::task();
        let parts = task
            .history
            .iter()
            .flat_map(|message| message.parts.clone());
        Self::new(parts.collect(), task)
    }

    /// The request and the answer, in v0.3 and in v1.0.
    fn texts(&self) -> ([Vec<u8>; 2], [Vec<u8>; 2]) {
        let options = Options::default();
        let (mut ours, mut theirs) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        old::write::<old::MessageSendParams>(&self.request, &options, &mut ours[0]).unwrap();
        old::write::<old::SendMessageResponse>(&self.answer, &options, &mut ours[1]).unwrap();
        self.request.write_json(&mut theirs[0]).unwrap();
        self.answer.write_json(&mut theirs[1]).unwrap();
        (ours, theirs)
    }

    fn codecs(&self, rounds: usize) -> Compared {
        let ([ours, mut out], [theirs, mut other]) = self.texts();
        let options = Options::default();
        compare(
            rounds,
            || {
                black_box(old::read::<old::MessageSendParams>(black_box(&ours), &options).unwrap());
                out.clear();
                let answer = black_box(&self.answer);
                old::write::<old::SendMessageResponse>(answer, &options, &mut out).unwrap();
                black_box(&out);
            },
            || {
                black_box(SendMessageRequest::read_json(black_box(&theirs)).unwrap());
                other.clear();
                black_box(&self.answer).write_json(&mut other).unwrap();
                black_box(&other);
            },
        )
    }

    /// The whole call, without a network.
    fn routed(&self, rounds: usize) -> Compared {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime starts");
        let service = BoxA2aService::new(Answers(self.answer.clone()));
        let router = |dispatch: Arc<dyn Dispatch>| JsonRpc::new(dispatch, Arc::new(Open));
        let ours = router(Facade::dispatch(service.clone()));
        let theirs = router(Arc::new(service));
        let ([old, _], [new, _]) = self.texts();
        let request = |method: &str, params: &[u8]| {
            let params = String::from_utf8_lossy(params);
            Bytes::from(format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#
            ))
        };
        let (old, new) = (request("message/send", &old), request("SendMessage", &new));
        let ask = |router: &JsonRpc, version: &'static str, body: &Bytes| {
            let request = hyper::Request::post("/")
                .header("content-type", "application/json")
                .header("a2a-version", version)
                .body(Body::full(body.clone()))
                .expect("a request");
            runtime.block_on(async {
                let response = router.handle(request).await;
                let body = response.into_body().collect().await.expect("an answer");
                let body = body.to_bytes();
                assert!(
                    !body.starts_with(br#"{"jsonrpc":"2.0","id":1,"error"#),
                    "{body:?}"
                );
                black_box(body);
            });
        };
        compare(
            rounds,
            || ask(&ours, "0.3", &old),
            || ask(&theirs, "1.0", &new),
        )
    }
}

/// Answers every message alike.
struct Answers(SendMessageResponse);

impl A2aService for Answers {
    async fn send_message(
        &self,
        _context: CallContext,
        _request: SendMessageRequest,
    ) -> Result<Shared<SendMessageResponse>, Error> {
        Ok(Shared::new(self.0.clone()))
    }
}
