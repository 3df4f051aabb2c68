//! How much of what a peer sent an error repeats.
//!
//! Comes in: a text of any length. Goes out: its beginning. It knows nothing of what the text means.

/// As much of a peer's text as an error repeats, in bytes.
pub(crate) const SHOWN: usize = 256;

/// The beginning of a text, cut between characters.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        let euros = "€".repeat(1 << 20);
        assert_eq!(cut(&euros, SHOWN).len(), 255);
        assert_eq!((cut("€", 3), cut("€", 2), cut("", 0)), ("€", "", ""));
    }
}
