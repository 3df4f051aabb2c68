//! JSON of v0.3 against JSON of v1.0, with the same task: read into the same type, and written from
//! it. Fails when reading and writing together take more than 1.25 times as long.

use std::hint::black_box;
use std::process::ExitCode;

use a2a_wire::WireMessage as _;
use a2a_wire::adapt::Options;
use a2a_wire::v0_3_json as old;
use a2a_wire::v1_0::Task;
use benches::pairs::{Compared, best, compare};
use benches::sample;

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
    println!("decode and encode {:.2}  (limit {LIMIT:.2})", both.ratio);
    if both.ratio > LIMIT {
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
