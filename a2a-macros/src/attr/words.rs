//! What a misspelt word probably was to be.

/// Words that others use for the same thing.
const OTHERS: [(&str, &str); 14] = [
    ("apikey", "api_key"),
    ("bearer", "http"),
    ("http_auth", "http"),
    ("http_json", "rest"),
    ("icon", "icon_url"),
    ("location", "in"),
    ("mutual_tls", "mtls"),
    ("oauth", "oauth2"),
    ("oidc", "open_id_connect"),
    ("open_id", "open_id_connect"),
    ("open_id_connect_url", "url"),
    ("openid", "open_id_connect"),
    ("org", "organization"),
    ("title", "name"),
];

/// The known word that `word` is closest to, if it is close enough to be a slip.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase().replace('-', "_");
    let other = OTHERS.iter().find(|(other, _)| *other == word);
    if let Some((_, meant)) = other
        && let Some(meant) = known.iter().find(|known| *known == meant)
    {
        return Some(meant);
    }
    let (steps, meant) = known
        .iter()
        .map(|known| (distance(&word, known), *known))
        .min()?;
    (steps <= (word.chars().count() / 3).max(1)).then_some(meant)
}

/// How many letters have to be put in, taken out, replaced or swapped with their neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // rows[i][j]: the distance of the first i letters of `a` and the first j of `b`.
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(x != y))
                .min(rows[i][j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_was_probably_meant() {
        let known = [
            "name",
            "description",
            "tags",
            "in",
            "api_key",
            "input_modes",
        ];
        for (word, meant) in [
            ("nmae", Some("name")),
            ("nam", Some("name")),
            ("Tags", Some("tags")),
            ("tag", Some("tags")),
            ("desciption", Some("description")),
            ("inputmodes", Some("input_modes")),
            ("input-modes", Some("input_modes")),
            ("location", Some("in")),
            ("apikey", Some("api_key")),
            ("mtls", None),
            ("colour", None),
        ] {
            assert_eq!(nearest(word, &known), meant, "{word}");
        }
    }
}
