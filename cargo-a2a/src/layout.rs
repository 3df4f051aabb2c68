//! Text in columns.
//!
//! Comes in: rows of cells, the first one the headings. Goes out: lines, each column as wide as it
//! needs and the whole no wider than a terminal, unless a single word is. Words are never broken:
//! names are there to be copied.

/// How wide lines are.
pub(crate) const WIDTH: usize = 120;

/// Columns of prose do not get narrower than this.
const LEAST: usize = 16;

/// Between columns.
const GAP: &str = "  ";

/// Breaks a text into lines between words.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = length(word);
        if used > 0 && used + 1 + length > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    lines.push(line);
    lines
}

/// Rows in columns; a line under the headings, an empty one after a row of several lines.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let widths = widths(rows);
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<Vec<String>> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| wrap(cell, *width))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..height {
            let mut line = String::new();
            for (cell, width) in cells.iter().zip(&widths) {
                let text = cell.get(at).map_or("", String::as_str);
                line.push_str(text);
                line.push_str(&" ".repeat(width.saturating_sub(length(text))));
                line.push_str(GAP);
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        if index == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            out.push_str(&rules.join(GAP));
            out.push('\n');
        }
    }
    out
}

/// How wide each column is: what it needs, but if that is too much altogether, the widest ones give
/// way, down to their longest word.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let count = rows.first().map_or(0, Vec::len);
    let of = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let mut widths: Vec<usize> = (0..count)
        .map(|column| of(column).map(|cell| length(cell)).max().unwrap_or(0))
        .collect();
    let least: Vec<usize> = (0..count)
        .map(|column| {
            let words = of(column).flat_map(|cell| cell.split_whitespace());
            words.map(length).max().unwrap_or(0).max(LEAST)
        })
        .collect();
    let room = WIDTH.saturating_sub(GAP.len() * count.saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        let can = widths
            .iter()
            .zip(&least)
            .enumerate()
            .filter(|(_, (width, least))| width > least);
        let Some(widest) = can.max_by_key(|(_, (width, _))| **width).map(|(at, _)| at) else {
            break;
        };
        if let Some(width) = widths.get_mut(widest) {
            *width -= 1;
        }
    }
    widths
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, columns, wrap};

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        let row = |row: &&[&str]| row.iter().map(|&cell| cell.to_owned()).collect();
        rows.iter().map(row).collect()
    }

    #[test]
    fn columns_are_as_wide_as_they_need() {
        let text = columns(&rows(&[&["a", "b"], &["long", "x"], &["é", ""]]));
        assert_eq!(text, "a     b\n----  -\nlong  x\né\n");
    }

    #[test]
    fn wide_columns_give_way_and_words_stay_whole() {
        let (name, prose) = ("n".repeat(90), "word ".repeat(40));
        let text = columns(&rows(&[&["name", "what"], &[&name, &prose]]));
        assert!(text.contains(&name));
        assert!(
            text.lines().all(|line| line.chars().count() <= WIDTH),
            "{text}"
        );
        let endless = "n".repeat(WIDTH + 10);
        assert!(columns(&rows(&[&["name"], &[&endless]])).contains(&endless));
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""]);
    }
}
