//! Strings, with a look at eight bytes at a time.
//!
//! Comes in: UTF-8. Goes out: the same, in quotes and escaped as JSON wants it: quotes, backslashes
//! and control characters.

/// Appends a string in quotes. With `plain`, it is known to need no escapes.
#[inline]
pub(super) fn quote(text: &[u8], plain: bool, out: &mut Vec<u8>) {
    if quote_short(text, plain, out) {
        return;
    }
    out.reserve(text.len() + 2);
    out.push(b'"');
    if plain {
        out.extend_from_slice(text);
    } else {
        escape(text, out);
    }
    out.push(b'"');
}

/// Appends a string of at most 15 bytes in quotes, unless it needs escapes or is longer: then
/// nothing is done. Most names and many values are no longer, and for them the way through slices
/// costs more than the bytes.
#[inline]
fn quote_short(text: &[u8], plain: bool, out: &mut Vec<u8>) -> bool {
    const QUOTE: u64 = b'"' as u64;
    let length = text.len();
    let end = out.len() + length + 2;
    // The bytes as a number, the first one lowest: put together from two pieces that cover them;
    // where these overlap, they agree. A copy of fixed length needs no call; what it has written
    // too much is cut off.
    if let (8..=15, Some(first), Some(last)) = (length, text.first_chunk(), text.last_chunk()) {
        let [first, last] = [first, last].map(|word| u64::from_le_bytes(*word));
        let plain = plain || (is_plain(first) && is_plain(last));
        if !plain {
            return false;
        }
        let bytes = u128::from(first) | u128::from(last) << (8 * (length - 8));
        let closed = bytes | u128::from(QUOTE) << (8 * length);
        out.push(b'"');
        out.extend_from_slice(&closed.to_le_bytes());
    } else {
        let bytes = match (length, text.first_chunk(), text.last_chunk()) {
            (..=7, Some(first), Some(last)) => {
                let [first, last] = [first, last].map(|half| u32::from_le_bytes(*half));
                u64::from(first) | u64::from(last) << (8 * (length - 4))
            }
            (1..=3, _, _) => {
                let at = |index: usize| u64::from(text[index]) << (8 * index);
                at(0) | at(length / 2) | at(length - 1)
            }
            (0, _, _) => 0,
            _ => return false,
        };
        if !plain && !is_plain(bytes | SPACES << (8 * length)) {
            return false;
        }
        let closed = bytes | QUOTE << (8 * length);
        out.push(b'"');
        out.extend_from_slice(&closed.to_le_bytes());
    }
    out.truncate(end);
    true
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const SPACES: u64 = 0x2020_2020_2020_2020;

/// True when none of eight bytes needs an escape: none is below 0x20, a quote or a backslash.
#[inline]
fn is_plain(word: u64) -> bool {
    let quote = word ^ (ONES * 0x22);
    let backslash = word ^ (ONES * 0x5c);
    // Each term has a bit set when there is such a byte, and none when there is not.
    ((word.wrapping_sub(SPACES) & !word)
        | (quote.wrapping_sub(ONES) & !quote)
        | (backslash.wrapping_sub(ONES) & !backslash))
        & HIGH
        == 0
}

/// Appends bytes of a string, escaped: words without escapes in long runs, others byte by byte.
pub(super) fn escape(mut text: &[u8], out: &mut Vec<u8>) {
    loop {
        let (plain, rest) = text.split_at(plain_prefix(text));
        out.extend_from_slice(plain);
        if rest.is_empty() {
            return;
        }
        let (word, rest) = rest.split_at(rest.len().min(8));
        escape_each(word, out);
        text = rest;
    }
}

/// The bytes at the start of a text, in words of eight, that need no escape; the last word may
/// be shorter.
fn plain_prefix(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<8>();
    let plain = |word: &[u8; 8]| is_plain(u64::from_le_bytes(*word));
    if let Some(found) = words.iter().position(|word| !plain(word)) {
        return found * 8;
    }
    // The words are plain, so the last eight bytes say of the rest whether it is.
    let all = match text.last_chunk() {
        Some(word) => plain(word),
        None => text.iter().all(|byte| ESCAPES[usize::from(*byte)] == 0),
    };
    if all {
        text.len()
    } else {
        text.len() - rest.len()
    }
}

/// Appends at most eight bytes, one by one.
fn escape_each(word: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    // Put together here: to push each to the vector would wait for the one before.
    let mut escaped = [0; 6 * 8];
    let mut length = 0;
    let mut push = |byte| {
        escaped[length] = byte;
        length += 1;
    };
    for byte in word {
        match ESCAPES[usize::from(*byte)] {
            0 => push(*byte),
            b'u' => {
                b"\\u00".iter().for_each(|byte| push(*byte));
                push(HEX[usize::from(byte >> 4)]);
                push(HEX[usize::from(byte & 15)]);
            }
            short => {
                push(b'\\');
                push(short);
            }
        }
    }
    out.extend_from_slice(&escaped[..length]);
}

/// What stands behind the backslash of a byte that needs an escape: `u` for four hexadecimal
/// digits; 0 for a byte that needs none.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = b'u';
        byte += 1;
    }
    table[0x08] = b'b';
    table[b'\t' as usize] = b't';
    table[b'\n' as usize] = b'n';
    table[0x0c] = b'f';
    table[b'\r' as usize] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};
