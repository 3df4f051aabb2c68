//! What the texts of timestamps and durations share: digits, fractions, and a buffer on the stack.

/// Nanoseconds in a second.
pub(crate) const NANOS: i32 = 1_000_000_000;

/// A short ASCII text on the stack.
pub(crate) struct Text {
    bytes: [u8; 40],
    len: usize,
}

impl Text {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; 40],
            len: 0,
        }
    }

    pub(crate) fn push(&mut self, byte: u8) {
        // Nothing that is written here comes near 40 bytes; a longer text would be cut, not panic.
        if let Some(slot) = self.bytes.get_mut(self.len) {
            *slot = byte;
            self.len += 1;
        }
    }

    /// Appends a number with at least `width` digits.
    pub(crate) fn number(&mut self, mut number: u64, width: usize) {
        let mut digits = [b'0'; 20];
        let mut start = digits.len();
        while number > 0 || digits.len() - start < width.max(1) {
            start -= 1;
            digits[start] = b'0' + u8::try_from(number % 10).unwrap_or_default();
            number /= 10;
        }
        for digit in &digits[start..] {
            self.push(*digit);
        }
    }

    /// Appends a fraction of a second: nothing, or a point and 3, 6 or 9 digits, as few as hold the
    /// value but at least `minimum`.
    pub(crate) fn fraction(&mut self, nanos: u32, minimum: u8) {
        let (value, digits): (u32, u8) = if nanos == 0 && minimum == 0 {
            return;
        } else if nanos.is_multiple_of(1_000_000) && minimum <= 3 {
            (nanos / 1_000_000, 3)
        } else if nanos.is_multiple_of(1_000) && minimum <= 6 {
            (nanos / 1_000, 6)
        } else {
            (nanos, 9)
        };
        self.push(b'.');
        self.number(u64::from(value), usize::from(digits));
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

/// Takes a fraction (`.` and 1 to 9 digits) off the start of a text, as nanoseconds. `None` when
/// there is a point without a proper fraction; zero when there is no point.
pub(crate) fn take_fraction(text: &[u8]) -> Option<(i32, &[u8])> {
    let Some((b'.', rest)) = text.split_first() else {
        return Some((0, text));
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    let (fraction, rest) = rest.split_at(digits);
    let filled = fraction.iter().chain(std::iter::repeat(&b'0')).take(9);
    let nanos = filled.fold(0, |nanos, digit| nanos * 10 + i32::from(digit - b'0'));
    Some((nanos, rest))
}

/// Takes exactly `count` digits off the start of a text.
pub(crate) fn take_digits(text: &[u8], count: usize) -> Option<(i64, &[u8])> {
    let (digits, rest) = text.split_at_checked(count)?;
    let mut number = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
    }
    Some((number, rest))
}
