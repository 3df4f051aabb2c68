//! A card for people.
//!
//! Comes in: a card. Goes out: text, in which nothing of the card is obeyed by a terminal or endless.

use std::fmt::Write as _;

use a2a_kit::v1_0::security_scheme::Scheme;
use a2a_kit::v1_0::{AgentCard, SecurityRequirement};

use crate::console::{Console, Style};
use crate::text::bounded_line;

/// How many entries of a list are shown.
const MOST: usize = 50;

struct Page<'p, 'c> {
    out: String,
    console: &'p Console<'c>,
}

impl Page<'_, '_> {
    fn row(&mut self, label: &str, value: &str) {
        if !value.is_empty() {
            let label = self.console.paint(Style::Dim, &format!("{label:<13}"));
            let _ = writeln!(self.out, "{label} {value}");
        }
    }

    /// Rows of which the first has a label.
    fn rows<T>(&mut self, label: &str, all: &[T], shown: impl Fn(&T) -> String) {
        for (index, each) in all.iter().take(MOST).enumerate() {
            self.row(if index == 0 { label } else { "" }, &shown(each));
        }
        if all.len() > MOST {
            self.row("", &format!("and {} more", all.len() - MOST));
        }
    }
}

/// The card as text.
pub(crate) fn show(card: &AgentCard, console: &Console<'_>) -> String {
    let mut page = Page {
        out: String::new(),
        console,
    };
    let name = console.paint(Style::Bold, &bounded_line(&card.name, 200));
    let _ = writeln!(page.out, "{name} {}", bounded_line(&card.version, 100));
    if !card.description.is_empty() {
        let _ = writeln!(page.out, "{}", bounded_line(&card.description, 2000));
    }
    page.out.push('\n');
    if let Some(provider) = &card.provider {
        let name = bounded_line(&provider.organization, 200);
        page.row(
            "provider",
            &format!("{name} {}", bounded_line(&provider.url, 500)),
        );
    }
    if let Some(url) = &card.documentation_url {
        page.row("documentation", &bounded_line(url, 500));
    }
    page.rows("interfaces", &card.supported_interfaces, |interface| {
        let mut row = format!(
            "{} {} {}",
            bounded_line(&interface.protocol_binding, 100),
            bounded_line(&interface.protocol_version, 20),
            bounded_line(&interface.url, 500)
        );
        if !interface.tenant.is_empty() {
            let _ = write!(row, " tenant {}", bounded_line(&interface.tenant, 100));
        }
        row
    });
    if let Some(capabilities) = &card.capabilities {
        let able = [
            (capabilities.streaming, "streaming"),
            (capabilities.push_notifications, "push notifications"),
            (capabilities.extended_agent_card, "extended card"),
        ];
        let able: Vec<&str> = able
            .into_iter()
            .filter(|(has, _)| has.unwrap_or_default())
            .map(|(_, name)| name)
            .collect();
        page.row("capabilities", if able.is_empty() { "none" } else { "" });
        page.row("capabilities", &able.join(", "));
        page.rows("extensions", &capabilities.extensions, |extension| {
            let required = if extension.required {
                " (required)"
            } else {
                ""
            };
            format!("{}{required}", bounded_line(&extension.uri, 500))
        });
    }
    page.row("input", &list(&card.default_input_modes));
    page.row("output", &list(&card.default_output_modes));
    let schemes: Vec<_> = card.security_schemes.iter().collect();
    page.rows("schemes", &schemes, |(name, scheme)| {
        let kind = match &scheme.scheme {
            Some(Scheme::ApiKeySecurityScheme(key)) => format!(
                "API key, {} {}",
                bounded_line(&key.location, 20),
                bounded_line(&key.name, 100)
            ),
            Some(Scheme::HttpAuthSecurityScheme(http)) => {
                format!("HTTP {}", bounded_line(&http.scheme, 50))
            }
            Some(Scheme::Oauth2SecurityScheme(_)) => "OAuth 2".to_owned(),
            Some(Scheme::OpenIdConnectSecurityScheme(_)) => "OpenID Connect".to_owned(),
            Some(Scheme::MtlsSecurityScheme(_)) => "client certificate".to_owned(),
            None => "unknown".to_owned(),
        };
        format!("{}: {kind}", bounded_line(name, 100))
    });
    page.rows("asks for", &card.security_requirements, requirement);
    if !card.signatures.is_empty() {
        page.row(
            "signatures",
            &format!("{}, not verified", card.signatures.len()),
        );
    }
    for skill in card.skills.iter().take(MOST) {
        let id = console.paint(Style::Bold, &bounded_line(&skill.id, 200));
        let _ = writeln!(page.out, "\nskill {id}: {}", bounded_line(&skill.name, 200));
        let _ = writeln!(page.out, "  {}", bounded_line(&skill.description, 1000));
        page.row("  tags", &list(&skill.tags));
        page.row("  input", &list(&skill.input_modes));
        page.row("  output", &list(&skill.output_modes));
        page.rows("  example", &skill.examples, |example| {
            bounded_line(example, 300)
        });
    }
    if card.skills.len() > MOST {
        let _ = writeln!(page.out, "\nand {} skills more", card.skills.len() - MOST);
    }
    page.out
}

fn list(texts: &[String]) -> String {
    let shown: Vec<String> = texts
        .iter()
        .take(MOST)
        .map(|text| bounded_line(text, 200))
        .collect();
    shown.join(", ")
}

/// All schemes of a requirement are needed; any requirement is enough.
fn requirement(requirement: &SecurityRequirement) -> String {
    let all: Vec<String> = requirement
        .schemes
        .iter()
        .take(MOST)
        .map(|(name, scopes)| {
            let name = bounded_line(name, 100);
            match list(&scopes.list).as_str() {
                "" => name,
                scopes => format!("{name} ({scopes})"),
            }
        })
        .collect();
    if all.is_empty() {
        "nothing, or one of these".to_owned()
    } else {
        all.join(" and ")
    }
}
