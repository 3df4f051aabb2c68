//! Refuses texts whose brackets nest deeper than the compiler's stack.
//!
//! The compiler bounds nested messages but not the values of options, and a text made to overflow
//! its stack would end the whole build without a word.

/// Far more than schemas have, far less than a stack of 2 MiB bears.
pub(super) const MAX_DEPTH: usize = 48;

/// The byte offset of the first bracket that is too deep.
pub(super) fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut rest = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = rest.next() {
        match byte {
            b'{' | b'[' | b'(' | b'<' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Some(at);
                }
            }
            b'}' | b']' | b')' | b'>' => depth = depth.saturating_sub(1),
            b'"' | b'\'' => skip_literal(&mut rest, byte),
            b'#' => skip_line(&mut rest),
            b'/' => match rest.peek().map(|(_, next)| *next) {
                Some(b'/') => skip_line(&mut rest),
                Some(b'*') => skip_comment(&mut rest),
                _ => {}
            },
            _ => {}
        }
    }
    None
}

/// Skips the rest of a literal; one that is not closed ends with its line.
fn skip_literal(rest: &mut impl Iterator<Item = (usize, u8)>, quote: u8) {
    while let Some((_, byte)) = rest.next() {
        match byte {
            b'\\' => {
                rest.next();
            }
            b'\n' => return,
            byte if byte == quote => return,
            _ => {}
        }
    }
}

fn skip_line(rest: &mut impl Iterator<Item = (usize, u8)>) {
    rest.find(|(_, byte)| *byte == b'\n');
}

fn skip_comment(rest: &mut impl Iterator<Item = (usize, u8)>) {
    // The `*` that opens the comment is not one that closes it.
    rest.next();
    let mut star = false;
    rest.find(|(_, byte)| {
        let end = star && *byte == b'/';
        star = *byte == b'*';
        end
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_brackets_but_not_those_in_literals_and_comments() {
        let open = "{".repeat(MAX_DEPTH);
        assert_eq!(too_deep(&open), None);
        assert_eq!(too_deep(&format!("{open}[")), Some(MAX_DEPTH));
        assert_eq!(too_deep(&format!("{open}}}[")), None);
        for harmless in [
            "\"{\"", "'\\'{'", "// {\n", "/* { */", "/*/ { */", "# {\n", "\"{\n",
        ] {
            assert_eq!(too_deep(&format!("{open}{harmless}")), None, "{harmless}");
            let after = format!("{open}{harmless}<");
            assert_eq!(too_deep(&after), Some(after.len() - 1), "{harmless}");
        }
    }
}
