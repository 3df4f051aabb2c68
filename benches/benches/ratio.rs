//! The JSON of a task of 50 messages and 10 artifacts against `serde_json` with derived structs of
//! the same shape. Fails when ours takes more than 1.3 times as long.

use std::hint::black_box;
use std::process::ExitCode;

use a2a_wire::WireMessage as _;
use a2a_wire::v1_0::Task;
use benches::pairs::{Compared, compare};
use benches::{derived, sample};
use prost::Message as _;

const LIMIT: f64 = 1.3;
const ROUNDS: usize = 1000;
/// A disturbance as long as a whole measurement would be taken for our fault; three of them would
/// not come in a row.
const ATTEMPTS: usize = 3;

fn main() -> ExitCode {
    if cfg!(debug_assertions) {
        println!("ratio: nothing is measured without optimisation; run `cargo bench -p benches`");
        return ExitCode::SUCCESS;
    }
    let task = sample::task();
    let json = sample::json(&task);
    let plain = sample::derived(&json);
    let proto = bytes::Bytes::from(task.encode_to_vec());
    println!(
        "a task of {} bytes of JSON, {} of protobuf",
        json.len(),
        proto.len()
    );

    let read = || {
        black_box(Task::read_json(black_box(&json)).unwrap());
    };
    let decode = best(|| {
        compare(ROUNDS, read, || {
            black_box(serde_json::from_slice::<derived::Task>(black_box(&json)).unwrap());
        })
    });

    let (mut ours, mut theirs) = (json.clone(), json.clone());
    let mut write = || {
        ours.clear();
        black_box(&task).write_json(&mut ours).unwrap();
        black_box(&ours);
    };
    let encode = best(|| {
        compare(ROUNDS, &mut write, || {
            theirs.clear();
            serde_json::to_writer(&mut theirs, black_box(&plain)).unwrap();
            black_box(&theirs);
        })
    });

    let proto_decode = compare(ROUNDS / 3, read, || {
        black_box(Task::decode(black_box(proto.clone())).unwrap());
    });
    let mut out = proto.to_vec();
    let proto_encode = compare(ROUNDS / 3, &mut write, || {
        out.clear();
        black_box(&task).encode(&mut out).unwrap();
        black_box(&out);
    });

    row("decode, derived serde_json", decode);
    row("encode, derived serde_json", encode);
    row("decode, protobuf", proto_decode);
    row("encode, protobuf", proto_encode);
    println!(
        "decode {:.2}  encode {:.2}  (limit {LIMIT:.2})",
        decode.ratio, encode.ratio
    );
    if decode.ratio > LIMIT || encode.ratio > LIMIT {
        eprintln!("JSON of generated types is slower than it may be");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn row(name: &str, compared: Compared) {
    let Compared {
        ours,
        theirs,
        ratio,
    } = compared;
    println!("{name:<28} ours {ours:>9.1?}  theirs {theirs:>9.1?}  ratio {ratio:.2}");
}

/// Measures again when the limit is not kept, and takes the best.
fn best(mut measure: impl FnMut() -> Compared) -> Compared {
    let mut best = measure();
    for _ in 1..ATTEMPTS {
        if best.ratio <= LIMIT {
            break;
        }
        let again = measure();
        if again.ratio < best.ratio {
            best = again;
        }
    }
    best
}
