//! Expenses: lines of an item and an amount in cents or whole units, added up.

/// How much of a line is repeated in an error.
const SHOWN: usize = 40;

/// The same table with a line for the total.
///
/// # Errors
/// What is wrong with it, and in which line.
pub(crate) fn settle(table: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(table).map_err(|_| "the file is not UTF-8".to_owned())?;
    let mut lines = text.lines().zip(1..);
    if lines.next().map(|(header, _)| header.trim()) != Some("item,amount") {
        return Err("line 1: the columns are not item,amount".to_owned());
    }
    let mut settled = "item,amount\n".to_owned();
    let mut total = 0_u64;
    for (line, number) in lines.filter(|(line, _)| !line.trim().is_empty()) {
        let amount = line
            .rsplit_once(',')
            .and_then(|(_, amount)| cents(amount.trim()));
        let sum = amount.and_then(|amount| total.checked_add(amount));
        total = sum.ok_or_else(|| {
            let shown: String = line.chars().take(SHOWN).collect();
            format!("line {number}: {shown:?} does not end with an amount such as 12.50")
        })?;
        settled += line;
        settled += "\n";
    }
    settled += &format!("total,{}.{:02}\n", total / 100, total % 100);
    Ok(settled)
}

/// `12`, `12.5` and `12.50` in cents.
fn cents(amount: &str) -> Option<u64> {
    let (whole, part) = amount.split_once('.').unwrap_or((amount, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || part.len() > 2 {
        return None;
    }
    let part: u64 = format!("{part:0<2}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(100)?
        .checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_added_up() {
        let table = b"item,amount\nhotel,120.50\n\"taxi, late\",9.5\nmap,3\n";
        let settled = settle(table).expect("it is a table");
        assert!(settled.ends_with("map,3\ntotal,133.00\n"), "{settled}");
        assert_eq!(
            settle(b"item,amount\n").as_deref(),
            Ok("item,amount\ntotal,0.00\n")
        );
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        for (table, fault) in [
            (&b"\xff"[..], "not UTF-8"),
            (b"", "line 1"),
            (b"item;amount\n", "line 1"),
            (b"item,amount\nhotel\n", "line 2"),
            (b"item,amount\nhotel,1.234\n", "line 2"),
            (b"item,amount\nhotel,-1\n", "line 2"),
            (b"item,amount\na,1\n\nb,99999999999999999999\n", "line 4"),
        ] {
            let error = settle(table).expect_err("it is none");
            assert!(error.contains(fault), "{error}");
        }
    }
}
