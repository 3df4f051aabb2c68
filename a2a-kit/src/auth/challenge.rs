//! Challenges: what `WWW-Authenticate` says of a security scheme (RFC 9110, 11.6.1).
//!
//! Comes in: a scheme of the card, and what was wrong. Goes out: the challenge, always a value that
//! a header can hold.

use crate::v1_0::SecurityScheme;
use crate::v1_0::security_scheme::Scheme;

/// How callers are asked for the credentials of one scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Challenge {
    /// The HTTP authentication scheme.
    scheme: String,
    /// Parameters that are always there.
    parameters: Vec<(&'static str, String)>,
    /// True when it has the parameters of RFC 6750.
    is_bearer: bool,
}

impl Challenge {
    /// Of a scheme of the card; `None` for an authenticator that the card does not tell of.
    pub(super) fn of(name: &str, scheme: Option<&SecurityScheme>) -> Self {
        let scheme = scheme.and_then(|scheme| scheme.scheme.as_ref());
        let mut parameters = Vec::new();
        let scheme = match scheme {
            Some(Scheme::ApiKeySecurityScheme(key)) => {
                // There is no registered scheme for API keys; the parameters say where they go.
                parameters.push(("in", key.location.clone()));
                parameters.push(("name", key.name.clone()));
                "ApiKey".to_owned()
            }
            Some(Scheme::HttpAuthSecurityScheme(http)) => match &*http.scheme {
                text if text.eq_ignore_ascii_case("bearer") => "Bearer".to_owned(),
                text if text.eq_ignore_ascii_case("basic") => {
                    parameters.push(("charset", "UTF-8".to_owned()));
                    "Basic".to_owned()
                }
                text => token(text),
            },
            Some(Scheme::Oauth2SecurityScheme(_) | Scheme::OpenIdConnectSecurityScheme(_)) => {
                "Bearer".to_owned()
            }
            Some(Scheme::MtlsSecurityScheme(_)) => "MutualTLS".to_owned(),
            None => token(name),
        };
        Self {
            is_bearer: scheme == "Bearer",
            scheme,
            parameters,
        }
    }

    /// The challenge in full. `error` is one of RFC 6750.
    pub(super) fn text(&self, realm: &str, scopes: &[&str], error: Option<&str>) -> String {
        let mut text = format!("{} realm={}", self.scheme, quoted(realm));
        let mut add = |name: &str, value: &str| {
            text.push_str(", ");
            text.push_str(name);
            text.push('=');
            text.push_str(&quoted(value));
        };
        for (name, value) in &self.parameters {
            add(name, value);
        }
        if self.is_bearer {
            if !scopes.is_empty() {
                add("scope", &scopes.join(" "));
            }
            if let Some(error) = error {
                add("error", error);
            }
        }
        text
    }
}

/// A text as the name of an HTTP authentication scheme.
fn token(text: &str) -> String {
    let letters =
        |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let token: String = text.chars().filter(letters).collect();
    match token.is_empty() {
        true => "Unknown".to_owned(),
        false => token,
    }
}

/// A text in quotes. What headers cannot hold is left out.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars().filter(|letter| matches!(letter, ' '..='~')) {
        if matches!(letter, '"' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1_0::{
        ApiKeySecurityScheme, HttpAuthSecurityScheme, MutualTlsSecurityScheme, OAuth2SecurityScheme,
    };

    fn of(scheme: &SecurityScheme) -> String {
        let challenge = Challenge::of("it", Some(scheme));
        challenge.text(
            "An \"agent\"\r\nÄ",
            &["read", "write"],
            Some("invalid_token"),
        )
    }

    fn http(scheme: &str) -> SecurityScheme {
        let http = HttpAuthSecurityScheme::new().with_scheme(scheme);
        SecurityScheme::new().with_http_auth_security_scheme(http)
    }

    #[test]
    fn each_kind_of_scheme_has_its_challenge() {
        let realm = r#"realm="An \"agent\"""#;
        let key = ApiKeySecurityScheme::new()
            .with_location("header")
            .with_name("X-Key");
        assert_eq!(
            of(&SecurityScheme::new().with_api_key_security_scheme(key)),
            format!(r#"ApiKey {realm}, in="header", name="X-Key""#)
        );
        let bearer = format!(r#"Bearer {realm}, scope="read write", error="invalid_token""#);
        assert_eq!(of(&http("bearer")), bearer);
        let oauth = OAuth2SecurityScheme::new();
        assert_eq!(
            of(&SecurityScheme::new().with_oauth2_security_scheme(oauth)),
            bearer
        );
        assert_eq!(
            of(&http("BASIC")),
            format!(r#"Basic {realm}, charset="UTF-8""#)
        );
        assert_eq!(of(&http("DPoP, x")), format!("DPoPx {realm}"));
        let mtls = MutualTlsSecurityScheme::new();
        assert_eq!(
            of(&SecurityScheme::new().with_mtls_security_scheme(mtls)),
            format!("MutualTLS {realm}")
        );
        let undeclared = Challenge::of("\u{1}", None);
        assert_eq!(undeclared.text("a", &[], None), r#"Unknown realm="a""#);
    }
}
