use super::*;

/// Kind, data, id.
type Seen = (String, String, String);

fn text(bytes: &Bytes) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Feeds chunks, taking the events out after each; says too whether there was a rest.
fn parse<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Seen>, bool) {
    let mut parser = SseParser::new(1 << 20);
    let mut seen = Vec::new();
    for chunk in chunks {
        parser.feed(chunk.to_vec());
        while let Some(event) = parser.next_event().unwrap() {
            seen.push((text(&event.kind), text(&event.data), text(&event.id)));
        }
    }
    (seen, parser.has_rest())
}

fn event(kind: &str, data: &str, id: &str) -> Seen {
    (kind.to_owned(), data.to_owned(), id.to_owned())
}

#[test]
fn the_rules_of_event_streams() {
    let cases: &[(&str, &[Seen], bool)] = &[
        ("", &[], false),
        ("data: a\n\n", &[event("", "a", "")], false),
        (
            "data:a\n\ndata: b\r\rdata:  c\r\n\r\n",
            &[event("", "a", ""), event("", "b", ""), event("", " c", "")],
            false,
        ),
        (
            "data: a\ndata:\ndata: b\n\n",
            &[event("", "a\n\nb", "")],
            false,
        ),
        ("data\n\n", &[event("", "", "")], false),
        ("data\ndata\n\n", &[event("", "\n", "")], false),
        (": comment\n\n:\n: data: x\n", &[], false),
        (": keep", &[], false),
        (
            "\u{feff}data: a\n\ndata: \u{feff}b\n\n",
            &[event("", "a", ""), event("", "\u{feff}b", "")],
            false,
        ),
        (
            "event: error\ndata: a\n\ndata: b\n\n",
            &[event("error", "a", ""), event("", "b", "")],
            false,
        ),
        ("event: ping\n\ndata: b\n\n", &[event("", "b", "")], false),
        (
            "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            &[event("", "a", "1"), event("", "b", "1"), event("", "c", "")],
            false,
        ),
        ("id: 1\nid: \0\ndata: a\n\n", &[event("", "a", "1")], false),
        (
            "unknown: x\nDATA: y\n data: z\ndata: a\n\n",
            &[event("", "a", "")],
            false,
        ),
        (
            "data: é😀\u{2028}\u{85}\n\n",
            &[event("", "é😀\u{2028}\u{85}", "")],
            false,
        ),
        (
            "data: {\"a\":\"b: c\"}\n\n",
            &[event("", "{\"a\":\"b: c\"}", "")],
            false,
        ),
        // Cut: nothing is dispatched, and it is seen.
        ("data: a\n\ndata: b\n", &[event("", "a", "")], true),
        ("data: a\n\ndata: b", &[event("", "a", "")], true),
        ("data: a\n\nda", &[event("", "a", "")], true),
        ("event: x\n", &[], true),
        ("{\"jsonrpc\"", &[], true),
    ];
    for (given, events, rest) in cases {
        let (seen, has_rest) = parse([given.as_bytes()]);
        assert_eq!((&seen[..], has_rest), (*events, *rest), "{given:?}");
    }
}

const SAMPLE: &str = "\u{feff}: hi\r\n\r\ndata: one\r\ndata:é😀\r\n\r\nevent: error\rid: 7\rdata: two\r\rdata:\n\nretry: 10\n:\ndata: three\n\n\ndata: cut";

#[test]
fn a_stream_may_be_cut_into_chunks_at_every_byte() {
    let whole = parse([SAMPLE.as_bytes()]);
    let events = [
        event("", "one\né😀", ""),
        event("error", "two", "7"),
        event("", "", "7"),
        event("", "three", "7"),
    ];
    assert_eq!(whole, (events.to_vec(), true));
    let bytes = SAMPLE.as_bytes();
    for first in 0..=bytes.len() {
        for second in first..=bytes.len() {
            let chunks = [&bytes[..first], &bytes[first..second], &bytes[second..]];
            assert_eq!(parse(chunks), whole, "cut at {first} and {second}");
        }
    }
    assert_eq!(parse(bytes.chunks(1)), whole);
}

#[test]
fn chunks_may_come_before_the_events_of_earlier_ones_are_taken() {
    let mut parser = SseParser::new(100);
    for chunk in SAMPLE.as_bytes().chunks(5) {
        parser.feed(chunk.to_vec());
    }
    let mut count = 0;
    while parser.next_event().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 4);
    assert_eq!(parser.retry(), Some(Duration::from_millis(10)));
}

#[test]
fn every_event_has_the_budget_to_the_byte() {
    for limit in [0, 1, 7, 8, 100] {
        for (size, fits) in [(limit, true), (limit + 1, false)] {
            let data = "x".repeat(size);
            let many = format!("data: a\n\ndata: {data}\n\n");
            for chunk in [1, 5, 1000] {
                let mut parser = SseParser::new(limit.max(1));
                let mut outcome = Ok(());
                'all: for chunk in many.as_bytes().chunks(chunk) {
                    parser.feed(chunk.to_vec());
                    loop {
                        match parser.next_event() {
                            Ok(Some(_)) => {}
                            Ok(None) => break,
                            Err(error) => {
                                outcome = Err(error);
                                break 'all;
                            }
                        }
                    }
                }
                let expected = if fits || size <= limit.max(1) {
                    Ok(())
                } else {
                    Err(SseTooLarge(limit.max(1)))
                };
                assert_eq!(outcome, expected, "{size} of {limit} in chunks of {chunk}");
            }
        }
    }
}

#[test]
fn a_line_without_an_end_does_not_grow_beyond_the_budget() {
    let mut parser = SseParser::new(1000);
    let mut fed = 0;
    loop {
        parser.feed("data: ".repeat(20));
        fed += 120;
        match parser.next_event() {
            Ok(None) => assert!(fed < 1200),
            Ok(Some(event)) => panic!("{event:?}"),
            Err(error) => break assert_eq!(error, SseTooLarge(1000)),
        }
    }
}

#[test]
fn many_lines_of_data_count_together() {
    let mut parser = SseParser::new(20);
    parser.feed("data: 0123456789\ndata: 0123456789\n\n");
    assert_eq!(parser.next_event(), Err(SseTooLarge(20)));
}

#[test]
fn other_texts_are_noticed() {
    let mut parser = SseParser::new(100);
    parser.feed("{\"jsonrpc\":\"2.0\"}\n\n");
    assert_eq!(parser.next_event(), Ok(None));
    assert!(parser.has_strange_lines());
    assert!(!parser.has_rest());
    // Of a line that is cut, what it can no longer become says it.
    for (rest, strange) in [
        ("", false),
        (":", false),
        (": a comment", false),
        ("da", false),
        ("data", false),
        ("data: {\"a", false),
        ("retry:1", false),
        ("\u{feff}", false),
        ("\u{feff}id", false),
        ("\u{feff}{", true),
        ("<html>", true),
        ("{\"error\":", true),
        ("datum", true),
        ("idea: x", true),
    ] {
        let mut parser = SseParser::new(100);
        parser.feed(rest);
        assert_eq!(parser.next_event(), Ok(None));
        assert_eq!(parser.has_strange_lines(), strange, "{rest:?}");
    }
}

#[test]
fn an_event_in_one_chunk_is_a_slice_of_it() {
    let chunk = Bytes::from("data: {\"a\":1}\n\ndata: {\"b\":2}\n\n");
    let mut parser = SseParser::new(100);
    parser.feed(chunk.clone());
    let data = parser.next_event().unwrap().unwrap().data;
    assert_eq!(data.as_ptr(), chunk[6..].as_ptr());
    let allocated = allocation_counter::measure(|| {
        assert!(parser.next_event().unwrap().is_some());
    });
    assert_eq!(allocated.count_total, 0);
}

#[test]
fn ten_thousand_chunks_take_no_more_memory_than_their_events() {
    // As they come from a socket: pieces of a size that has nothing to do with the events.
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"t1","artifact":{"parts":[{"text":"lorem ipsum dolor sit"}]}}}}"#;
    let stream = format!("data: {body}\n\n").repeat(10_000);
    let chunks: Vec<Bytes> = stream
        .as_bytes()
        .chunks(1400)
        .map(Bytes::copy_from_slice)
        .collect();
    let mut parser = SseParser::new(1 << 20);
    let mut events = 0;
    let pieces = chunks.len() as u64;
    let allocated = allocation_counter::measure(|| {
        for chunk in chunks {
            parser.feed(chunk);
            while let Some(event) = parser.next_event().unwrap() {
                assert_eq!(event.data.len(), body.len());
                events += 1;
            }
        }
    });
    assert_eq!(events, 10_000);
    // Nothing for each event, of which a chunk has ten or so. For each chunk the count of its
    // readers; for an event that lies across two, a buffer, which grows once, and the count of its
    // readers.
    assert!(
        allocated.count_total <= 4 * pieces,
        "{allocated:?} for {pieces} chunks"
    );
    assert!(allocated.bytes_max < 1024, "{allocated:?}");
}
