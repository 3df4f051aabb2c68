//! Reading and writing a task of 50 messages and 10 artifacts: our generated types, the same shape
//! as `serde` derives it, and protobuf. Which of them keep which limit, `ratio` says.

use std::hint::black_box;

use a2a_wire::WireMessage as _;
use a2a_wire::v1_0::Task;
use benches::{derived, sample};
use divan::Bencher;
use divan::counter::BytesCount;
use prost::Message as _;

fn main() {
    divan::main();
}

#[divan::bench_group]
mod decode {
    use super::*;

    #[divan::bench]
    fn generated(bencher: Bencher<'_, '_>) {
        let json = sample::json(&sample::task());
        bencher
            .counter(BytesCount::of_slice(&json))
            .bench(|| Task::read_json(black_box(&json)).unwrap());
    }

    #[divan::bench]
    fn derived(bencher: Bencher<'_, '_>) {
        let json = sample::json(&sample::task());
        bencher
            .counter(BytesCount::of_slice(&json))
            .bench(|| serde_json::from_slice::<derived::Task>(black_box(&json)).unwrap());
    }

    #[divan::bench]
    fn protobuf(bencher: Bencher<'_, '_>) {
        let bytes = bytes::Bytes::from(sample::task().encode_to_vec());
        bencher
            .counter(BytesCount::of_slice(&bytes[..]))
            .bench(|| Task::decode(black_box(bytes.clone())).unwrap());
    }
}

#[divan::bench_group]
mod encode {
    use super::*;

    #[divan::bench]
    fn generated(bencher: Bencher<'_, '_>) {
        let task = sample::task();
        let mut out = sample::json(&task);
        bencher.counter(BytesCount::of_slice(&out)).bench_local(|| {
            out.clear();
            black_box(&task).write_json(&mut out).unwrap();
            black_box(out.len())
        });
    }

    #[divan::bench]
    fn derived(bencher: Bencher<'_, '_>) {
        let mut out = sample::json(&sample::task());
        let task = sample::derived(&out);
        bencher.counter(BytesCount::of_slice(&out)).bench_local(|| {
            out.clear();
            serde_json::to_writer(&mut out, black_box(&task)).unwrap();
            black_box(out.len())
        });
    }

    #[divan::bench]
    fn protobuf(bencher: Bencher<'_, '_>) {
        let task = sample::task();
        let mut out = task.encode_to_vec();
        bencher.counter(BytesCount::of_slice(&out)).bench_local(|| {
            out.clear();
            black_box(&task).encode(&mut out).unwrap();
            black_box(out.len())
        });
    }
}
