//! The JSON of a task of 50 messages and 10 artifacts against `serde_json` with derived structs of
//! the same shape. Fails when ours takes more than 1.3 times as long. Ratios against protobuf, and of
//! tasks with but one kind of part, show where the time goes.

use std::hint::black_box;
use std::process::ExitCode;

use a2a_wire::WireMessage as _;
use a2a_wire::v1_0::Task;
use benches::pairs::{Compared, best, compare};
use benches::{derived, sample};
use prost::Message as _;

const LIMIT: f64 = 1.3;
const ROUNDS: usize = 1000;

fn main() -> ExitCode {
    if cfg!(debug_assertions) {
        println!("ratio: nothing is measured without optimisation; run `cargo bench -p benches`");
        return ExitCode::SUCCESS;
    }
    let task = sample::task();
    let (decode, encode) = (
        best(LIMIT, || decode(&task, ROUNDS)),
        best(LIMIT, || encode(&task, ROUNDS)),
    );
    let (proto_decode, proto_encode) = protobuf(&task, ROUNDS / 2);
    row("decode against derived", decode);
    row("encode against derived", encode);
    row("decode against protobuf", proto_decode);
    row("encode against protobuf", proto_encode);
    println!("with one kind of part only:");
    for (name, task) in sample::kinds() {
        let (decode, encode) = (
            self::decode(&task, ROUNDS / 10),
            self::encode(&task, ROUNDS / 10),
        );
        println!(
            "  {name:<18} decode {:.2}  encode {:.2}",
            decode.ratio, encode.ratio
        );
    }
    println!(
        "decode {:.2}  encode {:.2}  (limit {LIMIT:.2})",
        decode.ratio, encode.ratio
    );
    if decode.ratio > LIMIT || encode.ratio > LIMIT {
        eprintln!("the JSON of generated types takes longer than it may: see benches/README.md");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn decode(task: &Task, rounds: usize) -> Compared {
    let json = sample::json(task);
    let _ = sample::derived(&json);
    compare(
        rounds,
        || {
            black_box(Task::read_json(black_box(&json)).unwrap());
        },
        || {
            black_box(serde_json::from_slice::<derived::Task>(black_box(&json)).unwrap());
        },
    )
}

fn encode(task: &Task, rounds: usize) -> Compared {
    let mut ours = sample::json(task);
    let mut theirs = ours.clone();
    let plain = sample::derived(&ours);
    compare(
        rounds,
        || {
            ours.clear();
            black_box(task).write_json(&mut ours).unwrap();
            black_box(&ours);
        },
        || {
            theirs.clear();
            serde_json::to_writer(&mut theirs, black_box(&plain)).unwrap();
            black_box(&theirs);
        },
    )
}

/// Our JSON against our protobuf. Without a limit: they do not do the same work.
fn protobuf(task: &Task, rounds: usize) -> (Compared, Compared) {
    let mut json = sample::json(task);
    let mut out = task.encode_to_vec();
    let proto = bytes::Bytes::from(out.clone());
    let decode = compare(
        rounds,
        || {
            black_box(Task::read_json(black_box(&json)).unwrap());
        },
        || {
            black_box(Task::decode(black_box(proto.clone())).unwrap());
        },
    );
    let encode = compare(
        rounds,
        || {
            json.clear();
            black_box(task).write_json(&mut json).unwrap();
            black_box(&json);
        },
        || {
            out.clear();
            black_box(task).encode(&mut out).unwrap();
            black_box(&out);
        },
    );
    (decode, encode)
}

fn row(name: &str, compared: Compared) {
    let Compared {
        ours,
        theirs,
        ratio,
    } = compared;
    println!("{name:<24} {ratio:.2}  ({ours:.1?} : {theirs:.1?})");
}
