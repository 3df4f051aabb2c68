//! The supplier check itself: deterministic, no model, no network.
//!
//! Comes in: what the user has written so far, turn by turn. Goes out: a [`Step`]: a question when
//! something is missing, otherwise the report.

/// The language that a conversation is held in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Chinese,
}

/// What the conversation leads to next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Something is missing; this asks for it.
    Ask(&'static str),
    /// Everything is known.
    Report(Report),
    /// The text asks for an ending that is not success.
    Ending(Ending),
}

/// Endings that can be asked for by name, so that every edge of the task's state diagram can be
/// walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The agent declines the task.
    Reject,
    /// The work fails.
    Fail,
    /// The work goes on until the task is canceled.
    Slow,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    supplier: String,
    region: String,
    language: Language,
}

impl Report {
    /// The report's three lines.
    pub(crate) fn text(&self) -> String {
        let Self {
            supplier,
            region,
            language,
        } = self;
        match language {
            Language::English => {
                format!(
                    "Supplier: {supplier}\nRegistered region: {region}\nTeaching conclusion: no high-risk items found"
                )
            }
            Language::Chinese => {
                format!("供应商：{supplier}\n注册地区：{region}\n教学结论：未发现高风险项")
            }
        }
    }

    /// What the agent says while it works.
    pub(crate) fn progress(&self) -> &'static str {
        match self.language {
            Language::English => "Checking the supplier's records",
            Language::Chinese => "正在核对供应商信息",
        }
    }

    /// What the agent says when it is done.
    pub(crate) fn done(&self) -> &'static str {
        match self.language {
            Language::English => "The supplier check is done",
            Language::Chinese => "供应商尽调已完成",
        }
    }
}

/// Decides what comes next from everything that the user has written, oldest first.
pub(crate) fn next_step<'a>(turns: impl IntoIterator<Item = &'a str>) -> Step {
    let (mut supplier, mut region, mut language) = (None, None, Language::English);
    for line in turns.into_iter().flat_map(str::lines) {
        if line.chars().any(is_han) {
            language = Language::Chinese;
        }
        match line.trim().to_lowercase().as_str() {
            "reject" | "拒绝" => return Step::Ending(Ending::Reject),
            "fail" | "失败" => return Step::Ending(Ending::Fail),
            "slow" | "慢速" => return Step::Ending(Ending::Slow),
            _ => {}
        }
        supplier = supplier.or_else(|| find_supplier(line));
        region = find_region(line).or(region);
    }
    match (supplier, region, language) {
        (Some(supplier), Some(region), language) => Step::Report(Report {
            supplier,
            region,
            language,
        }),
        (Some(_), None, Language::English) => {
            Step::Ask("Which region is the supplier registered in? For example: region: China")
        }
        (Some(_), None, Language::Chinese) => Step::Ask("请补充供应商注册地区，例如：地区：中国"),
        (None, _, Language::English) => {
            Step::Ask("Which supplier shall I check? For example: Check Star River Tech")
        }
        (None, _, Language::Chinese) => Step::Ask("请说明要尽调的供应商，例如：请尽调星河科技"),
    }
}

/// The name after `Check` or `尽调`, up to the next comma or full stop.
fn find_supplier(line: &str) -> Option<String> {
    let line = line.trim();
    let name = match line.split_once("尽调") {
        Some((_, name)) => name,
        None => strip_word(
            line.strip_prefix("Please ")
                .or(line.strip_prefix("please "))
                .unwrap_or(line),
            "check",
        )?,
    };
    let name = name
        .split(['，', ',', '。', ';', '；'])
        .next()?
        .trim()
        .trim_end_matches('.')
        .trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The value after `region:` or `地区：`, wherever it stands in the line.
fn find_region(line: &str) -> Option<String> {
    let clauses = line.split(['，', ',', '。', ';', '；']);
    clauses.map(str::trim).find_map(|clause| {
        let (label, value) = clause.split_once([':', '：'])?;
        let label = label.trim().to_lowercase();
        let known = label == "region"
            || label == "registered region"
            || label == "地区"
            || label == "注册地区";
        let value = value.trim().trim_end_matches('.').trim();
        (known && !value.is_empty()).then(|| value.to_owned())
    })
}

/// What follows `word` (in any case) and a space.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    first.eq_ignore_ascii_case(word).then_some(rest)
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(turns: &[&str]) -> Option<String> {
        match next_step(turns.iter().copied()) {
            Step::Report(report) => Some(report.text()),
            _ => None,
        }
    }

    #[test]
    fn the_region_is_asked_for_in_the_language_of_the_user() {
        assert_eq!(
            next_step(["请尽调星河科技"]),
            Step::Ask("请补充供应商注册地区，例如：地区：中国")
        );
        let Step::Ask(question) = next_step(["Check Star River Tech"]) else {
            panic!("a question")
        };
        assert!(question.contains("region"));
    }

    #[test]
    fn two_turns_or_one_lead_to_the_report() {
        let chinese = "供应商：星河科技\n注册地区：中国\n教学结论：未发现高风险项";
        assert_eq!(
            report(&["请尽调星河科技", "地区：中国"]).as_deref(),
            Some(chinese)
        );
        assert_eq!(
            report(&["请尽调星河科技，地区：中国"]).as_deref(),
            Some(chinese)
        );
        let english = "Supplier: Star River Tech\nRegistered region: China\nTeaching conclusion: no high-risk items found";
        assert_eq!(
            report(&["Check Star River Tech", "region: China"]).as_deref(),
            Some(english)
        );
        assert_eq!(
            report(&["please check Star River Tech; Region : China."]).as_deref(),
            Some(english)
        );
    }

    #[test]
    fn what_names_no_supplier_is_asked_for_one() {
        for text in ["hello", "check", "尽调", ""] {
            assert!(matches!(next_step([text]), Step::Ask(_)), "{text}");
        }
        assert!(matches!(
            next_step(["hello", "Check Acme", "region: Peru"]),
            Step::Report(_)
        ));
    }

    #[test]
    fn other_endings_are_reached_by_name() {
        assert_eq!(next_step(["reject"]), Step::Ending(Ending::Reject));
        assert_eq!(next_step([" Fail "]), Step::Ending(Ending::Fail));
        assert_eq!(next_step(["slow"]), Step::Ending(Ending::Slow));
    }
}
