//! Where things are: cards below agents, interfaces beside cards, and who may be told a secret.
//!
//! Comes in: addresses as users and cards write them. Goes out: absolute ones, joined by rules that
//! stand here; the origin that an address belongs to; and whether a host is inside of a network.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::Uri;

use super::address;
use crate::error::Error;

/// Where the card of an agent is, below the agent's address.
pub(super) const CARD: &str = "/.well-known/agent-card.json";
/// Where it was before v0.3.
pub(super) const OLD_CARD: &str = "/.well-known/agent.json";

/// Scheme, host and port: whom a secret may be told.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    /// The origin of a URL; `None` for what is no `http` or `https` URL.
    pub(super) fn of(uri: &Uri) -> Option<Self> {
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let default = match scheme.as_str() {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let host = uri.host()?.trim_end_matches('.').to_ascii_lowercase();
        Some(Self {
            scheme,
            host,
            port: uri.port_u16().unwrap_or(default),
        })
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}

/// Where the card of an agent may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CardPlace {
    pub(super) first: Uri,
    /// Tried when the first place has none.
    pub(super) second: Option<Uri>,
}

impl CardPlace {
    /// The card of the agent at an address. An address whose path ends in `.json` is that of the
    /// card itself.
    pub(super) fn of_agent(url: &str, path: Option<&str>) -> Result<Self, Error> {
        let uri = address::http(url.trim())?;
        if path.is_none() && uri.path().ends_with(".json") {
            return Self::exactly(url);
        }
        if uri.query().is_some() {
            return Err(address::wrong(
                url,
                "it has a query (`?`), which paths cannot be added to; give the card's own address to ClientBuilder::connect_to_card",
            ));
        }
        let below = |path: &str| join(&uri, path);
        match path.filter(|path| !path.trim_matches('/').is_empty()) {
            Some(path) => Ok(Self {
                first: below(path)?,
                second: None,
            }),
            None => Ok(Self {
                first: below(CARD)?,
                second: Some(below(OLD_CARD)?),
            }),
        }
    }

    /// The card at its own address.
    pub(super) fn exactly(url: &str) -> Result<Self, Error> {
        Ok(Self {
            first: address::http(url.trim())?,
            second: None,
        })
    }
}

/// A path below an address: one slash between them, whatever the two have.
fn join(base: &Uri, path: &str) -> Result<Uri, Error> {
    let (scheme, authority) = parts(base);
    let above = base.path().trim_end_matches('/');
    let text = format!(
        "{scheme}://{authority}{above}/{}",
        path.trim_start_matches('/')
    );
    address::http(&text)
}

fn parts(uri: &Uri) -> (&str, &str) {
    let authority = uri.authority().map_or("", http::uri::Authority::as_str);
    (uri.scheme_str().unwrap_or("http"), authority)
}

/// The absolute form of an address that a card names, as seen from where the card was (RFC 3986,
/// 5.2). A path without a `/` in front is below the agent, not below `.well-known`.
pub(super) fn resolve(card: Option<&Uri>, reference: &str) -> Result<String, String> {
    let reference = reference.trim();
    if reference.is_empty() {
        return Err("has no url".to_owned());
    }
    // gRPC's `host:port` has no scheme and no `/`.
    if has_scheme(reference) || is_authority(reference) {
        return Ok(reference.to_owned());
    }
    let Some(card) = card else {
        return Err(format!(
            "has the relative url {reference:?}, and the card was not read from anywhere; say what it is relative to with ClientBuilder::base_url"
        ));
    };
    let (scheme, authority) = parts(card);
    if let Some(rest) = reference.strip_prefix("//") {
        return Ok(format!("{scheme}://{rest}"));
    }
    let (path, query) = reference
        .split_once('?')
        .map_or((reference, None), |(path, query)| (path, Some(query)));
    let path = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{}/{path}", above(card.path()))
    };
    let mut resolved = format!("{scheme}://{authority}{}", without_dots(&path));
    if let Some(query) = query {
        resolved.push('?');
        resolved.push_str(query);
    }
    Ok(resolved)
}

/// The path of the agent whose card is at a path.
fn above(card: &str) -> &str {
    let well_known = [CARD, OLD_CARD]
        .iter()
        .find_map(|path| card.strip_suffix(path));
    well_known.unwrap_or_else(|| card.rsplit_once('/').map_or("", |(above, _)| above))
}

fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else {
        return false;
    };
    let letters = scheme
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    letters && scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

fn is_authority(text: &str) -> bool {
    let port = text.rsplit_once(':').map(|(_, port)| port);
    port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
        && !text.contains('/')
}

/// A path without `.` and `..` segments.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." if last => kept.push(""),
            "." => {}
            ".." => {
                kept.pop();
                if last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    format!("/{}", kept.join("/"))
}

/// True for hosts that are not on the open internet: loopback, private and link-local addresses,
/// `localhost`, and whatever some resolver may take for such an address.
pub(super) fn is_inner(host: &str) -> bool {
    let host = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .trim_end_matches('.');
    if let Ok(address) = host.parse::<IpAddr>() {
        return match address {
            IpAddr::V4(address) => is_inner_v4(address),
            IpAddr::V6(address) => is_inner_v6(address),
        };
    }
    let host = host.to_ascii_lowercase();
    let last = host.rsplit('.').next().unwrap_or_default();
    // `127.1`, `2130706433`, `0x7f.1` are IPv4 addresses to the C library.
    let number = last.starts_with("0x")
        || (!last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()));
    number || matches!(last, "localhost" | "local" | "internal")
}

fn is_inner_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_broadcast()
        || first == 0
        // Carriers' networks (RFC 6598).
        || (first == 100 && (64..128).contains(&second))
}

fn is_inner_v6(address: Ipv6Addr) -> bool {
    if let Some(v4) = address.to_ipv4() {
        // Mapped and compatible addresses; `::1` and `::` are among them.
        return address.is_loopback() || address.is_unspecified() || is_inner_v4(v4);
    }
    let first = address.segments()[0];
    first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(url: &str, path: Option<&str>) -> String {
        let place = CardPlace::of_agent(url, path).unwrap();
        let second = place
            .second
            .map(|uri| format!(" or {uri}"))
            .unwrap_or_default();
        format!("{}{second}", place.first)
    }

    #[test]
    fn cards_are_joined_to_agents_with_one_slash() {
        let both = "http://h:1/.well-known/agent-card.json or http://h:1/.well-known/agent.json";
        let below =
            "http://h:1/a/.well-known/agent-card.json or http://h:1/a/.well-known/agent.json";
        for (url, path, expected) in [
            ("http://h:1", None, both),
            ("http://h:1/", None, both),
            (" http://h:1// ", None, both),
            ("http://h:1/a", None, below),
            ("http://h:1/a/", None, below),
            ("http://h:1/a/", Some(""), below),
            ("http://h:1/a", Some("/"), below),
            ("http://h:1/a/", Some("card"), "http://h:1/a/card"),
            (
                "http://h:1/a",
                Some("/card.json?x=1"),
                "http://h:1/a/card.json?x=1",
            ),
            ("http://h:1/a/b.json", None, "http://h:1/a/b.json"),
            (
                "http://h:1/card.json?key=2",
                None,
                "http://h:1/card.json?key=2",
            ),
            (
                "https://[::1]/a",
                None,
                "https://[::1]/a/.well-known/agent-card.json or https://[::1]/a/.well-known/agent.json",
            ),
        ] {
            assert_eq!(place(url, path), expected, "{url} and {path:?}");
        }
    }

    #[test]
    fn what_is_no_address_of_an_agent_is_refused() {
        for (url, why) in [
            ("localhost:80", "http://"),
            ("http://münchen.test", "xn--"),
            ("http://h/a?x=1", "connect_to_card"),
            ("grpc://h:1", "\"grpc\""),
            ("http://me:secret@h/", "credentials"),
        ] {
            let error = CardPlace::of_agent(url, None).unwrap_err();
            assert!(error.message().contains(why), "{url}: {error}");
            assert!(!error.message().contains("secret"), "{error}");
        }
    }

    #[test]
    fn addresses_in_cards_are_seen_from_the_agent() {
        let well_known = "https://h:8443/a/.well-known/agent-card.json";
        for (card, reference, expected) in [
            (well_known, "https://other/x", "https://other/x"),
            (well_known, "/v1", "https://h:8443/v1"),
            (well_known, "v1", "https://h:8443/a/v1"),
            (well_known, "./v1/", "https://h:8443/a/v1/"),
            (well_known, "../v1?x=/..", "https://h:8443/v1?x=/.."),
            (well_known, "../../../..", "https://h:8443/"),
            (well_known, "/a/./b/../c/.", "https://h:8443/a/c/"),
            (well_known, "//other:1/x", "https://other:1/x"),
            (well_known, "h:50051", "h:50051"),
            (well_known, "[::1]:50051", "[::1]:50051"),
            (well_known, "dns:///h:1", "dns:///h:1"),
            (well_known, " grpc://h ", "grpc://h"),
            ("http://h/.well-known/agent.json", "rpc", "http://h/rpc"),
            ("http://h/cards/one.json", "rpc", "http://h/cards/rpc"),
            ("http://h/card", "rpc", "http://h/rpc"),
        ] {
            assert_eq!(
                resolve(Some(&card.parse().unwrap()), reference).as_deref(),
                Ok(expected),
                "{reference}"
            );
        }
        assert!(resolve(None, "/v1").unwrap_err().contains("base_url"));
        assert!(resolve(None, "").unwrap_err().contains("no url"));
        assert_eq!(resolve(None, "http://h/v1").as_deref(), Ok("http://h/v1"));
    }

    #[test]
    fn origins_are_scheme_host_and_port() {
        let origin = |text: &str| Origin::of(&text.parse().unwrap());
        assert_eq!(
            origin("https://H.example/x"),
            origin("https://h.example.:443/y?z")
        );
        for other in [
            "http://h.example/",
            "https://h.example:8443/",
            "https://sub.h.example/",
            "h.example:443",
        ] {
            assert_ne!(origin("https://h.example/"), origin(other), "{other}");
        }
        assert_eq!(origin("h:50051"), None);
        assert_eq!(
            origin("http://[::1]:3/").unwrap().to_string(),
            "http://[::1]:3"
        );
    }

    #[test]
    fn inner_hosts_are_known() {
        for host in [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "printer.local",
            "metadata.google.internal",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.0.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "::1",
            "[::1]",
            "[fd00::1]",
            "[fe80::1]",
            "[::ffff:127.0.0.1]",
            "[::]",
            "1.2.3.256",
        ] {
            assert!(is_inner(host), "{host}");
        }
        for host in [
            "agent.example",
            "8.8.8.8",
            "172.32.0.1",
            "[2606:4700::1111]",
            "[::ffff:8.8.8.8]",
            "x0.example",
            "local.example",
        ] {
            assert!(!is_inner(host), "{host}");
        }
    }
}
