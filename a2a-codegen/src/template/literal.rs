//! Literals of a path: which characters they may have, and their percent-escapes.

use super::TemplateError;

/// Decodes a literal that is a whole segment.
pub(super) fn decode_segment(text: &str, offset: usize) -> Result<String, TemplateError> {
    let literal = decode(text, offset)?;
    if literal == "." || literal == ".." {
        return Err(TemplateError::new(
            offset,
            format!("the segment is `{literal}`"),
            "clients resolve such segments before they send a path; use another name",
        ));
    }
    Ok(literal)
}

/// Decodes a literal: `pchar` of RFC 3986, without `*`, which would look like a wildcard.
pub(super) fn decode(text: &str, offset: usize) -> Result<String, TemplateError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.char_indices();
    while let Some((at, character)) = rest.next() {
        match character {
            '%' => {
                let escape = text.get(at + 1..at + 3).and_then(escaped_byte);
                let Some(byte) = escape else {
                    return Err(bad_escape(offset + at));
                };
                bytes.push(byte);
                // The two digits are ASCII, one character each.
                rest.next();
                rest.next();
            }
            '*' => return Err(stray_star(offset + at)),
            c if is_pchar(c) => bytes.push(c as u8),
            c => return Err(bad_character(offset + at, c)),
        }
    }
    String::from_utf8(bytes).map_err(|_| {
        TemplateError::new(
            offset,
            "its percent-escapes are not UTF-8",
            "write the escapes of the UTF-8 bytes of each character",
        )
    })
}

fn escaped_byte(digits: &str) -> Option<u8> {
    // `from_str_radix` would take a sign.
    let hexadecimal = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal
        .then(|| u8::from_str_radix(digits, 16).ok())
        .flatten()
}

fn bad_escape(offset: usize) -> TemplateError {
    TemplateError::new(
        offset,
        "`%` is not followed by two hexadecimal digits",
        "write `%25` for the character itself",
    )
}

fn stray_star(offset: usize) -> TemplateError {
    TemplateError::new(
        offset,
        "a wildcard must be a whole segment",
        "write `*` for one segment, `**` for any number of them, `%2A` for the character",
    )
}

fn bad_character(offset: usize, character: char) -> TemplateError {
    let mut utf8 = [0; 4];
    let escapes: String = character
        .encode_utf8(&mut utf8)
        .bytes()
        .map(|byte| format!("%{byte:02X}"))
        .collect();
    TemplateError::new(
        offset,
        format!("`{}` may not stand in a path", character.escape_debug()),
        format!("write it as `{escapes}`, or remove it"),
    )
}

/// Encodes a literal, so that decoding gives it back wherever it stands in a template.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let character = char::from(byte);
        if is_pchar(character) && !matches!(character, ':' | '*') {
            out.push(character);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// `pchar` of RFC 3986, escapes apart.
fn is_pchar(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@".contains(character)
}
