//! Texts that somebody else wrote, on a terminal.
//!
//! Comes in: text from agents, cards, files. Goes out: the same without anything that a terminal
//! would obey, and no longer than wanted; and words as a shell takes them.

/// True for characters that move the cursor, hide text or turn it around.
fn is_unsafe(letter: char) -> bool {
    (letter.is_control() && letter != '\n' && letter != '\t')
        || matches!(letter,
            // Marks and overrides of the direction of writing.
            '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Lines and paragraphs of their own, and what is not seen.
            | '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{2060}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The text with such characters written out: `\u{1b}`. Line ends and tabs stay.
pub(crate) fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        // A line end of Windows is one.
        if letter == '\r' && letters.peek() == Some(&'\n') {
            continue;
        }
        if is_unsafe(letter) {
            out.extend(letter.escape_unicode());
        } else {
            out.push(letter);
        }
    }
    out
}

/// As [`safe`], in one line: what separates lines becomes a space.
pub(crate) fn line(text: &str) -> String {
    safe(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// As [`safe`], and at most about `limit` bytes of it.
pub(crate) fn bounded(text: &str, limit: usize) -> String {
    let (kept, rest) = cut(text, limit);
    let mut out = safe(kept);
    if rest > 0 {
        out.push_str(&format!("… ({rest} bytes more)"));
    }
    out
}

/// As [`line`], bounded.
pub(crate) fn bounded_line(text: &str, limit: usize) -> String {
    let (kept, rest) = cut(text, limit);
    let mut out = line(kept);
    if rest > 0 {
        out.push('…');
    }
    out
}

/// The start of a text, and how many bytes are left out.
pub(crate) fn cut(text: &str, limit: usize) -> (&str, usize) {
    if text.len() <= limit {
        return (text, 0);
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.split_at_checked(end)
        .map_or((text, 0), |(kept, rest)| (kept, rest.len()))
}

/// A JSON text in which what a terminal would obey is escaped as JSON has it. It means the same: such
/// characters stand in strings only.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_unsafe(letter) {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(letter);
        }
    }
    out
}

/// A word as a shell takes it, in quotes if it needs them.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-:/@%+=,[]".contains(&byte);
    // Brackets are patterns unless nothing else is; zsh minds them anyway.
    if !word.is_empty() && word.bytes().all(plain) && !word.contains(['[', ']']) {
        return word.to_owned();
    }
    format!("'{}'", safe(word).replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        let evil = "a\u{1b}]0;title\u{7}b\r\u{9b}2Jc\u{202e}d\u{200b}\u{e0041}\r\n\te\u{7f}";
        assert_eq!(
            safe(evil),
            "a\\u{1b}]0;title\\u{7}b\\u{d}\\u{9b}2Jc\\u{202e}d\\u{200b}\\u{e0041}\n\te\\u{7f}"
        );
        assert_eq!(line(" a\n\u{2028}b\tc "), "a b c");
        assert_eq!(safe("供应商 é 👍"), "供应商 é 👍");
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(bounded("äöü", 3), "ä… (4 bytes more)");
        assert_eq!(bounded("abc", 3), "abc");
        assert_eq!(bounded_line("a\nb c", 3), "a b…");
    }

    #[test]
    fn json_means_the_same() {
        let text = "\u{9b}\u{202e}\u{e0041}é\u{7f}";
        let written = json(&serde_json::to_string(text).unwrap());
        assert!(
            written.contains("\\u009b\\u202e\\udb40\\udc41"),
            "{written}"
        );
        let read: String = serde_json::from_str(&written).unwrap();
        assert_eq!(read, text);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, shown) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("$(rm)", "'$(rm)'"),
            ("x;y", "'x;y'"),
            ("*", "'*'"),
        ] {
            assert_eq!(quoted(word), shown);
        }
    }
}
