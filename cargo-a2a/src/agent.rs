//! The agent that a command talks to: where it is, how to speak to it, who calls.
//!
//! Comes in: an address and the flags that all such commands share. Goes out: a client.

pub(crate) mod wire;

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use a2a_kit::client::{Client, ClientBuilder, Credentials, SchemeCredentials};
use a2a_kit::{Binding, Error, ProtocolVersion};

use crate::exit::Failure;
use crate::text;
use wire::{Recorder, Wire};

/// How to reach an agent.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// Speak this binding: jsonrpc, rest or grpc; otherwise the best that the card names
    #[arg(long, value_name = "BINDING", value_parser = binding)]
    binding: Option<Binding>,
    /// Speak this version of the protocol: 1.0 or 0.3
    #[arg(long, value_name = "VERSION")]
    protocol_version: Option<ProtocolVersion>,
    /// Call for this tenant, in place of the one that the card names
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// Ask for an extension, by its URI
    #[arg(long, value_name = "URI")]
    extension: Vec<String>,
    /// Send a header (metadata, over gRPC) with every request
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<Header>,
    /// Send a bearer token to the agent's origin
    #[arg(long, value_name = "TOKEN", env = "A2A_BEARER", hide_env_values = true)]
    bearer: Option<Secret>,
    /// Send a name and a password to the agent's origin
    #[arg(
        long,
        value_name = "USER:PASSWORD",
        env = "A2A_BASIC",
        hide_env_values = true
    )]
    basic: Option<Secret>,
    /// Send an API key to the agent's origin, where its card says; or `header:NAME=KEY`, `query:NAME=KEY`, `cookie:NAME=KEY`
    #[arg(long, value_name = "KEY", env = "A2A_API_KEY", hide_env_values = true)]
    api_key: Option<ApiKey>,
    /// How long a call may take, in seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Call the agent also where its card, read from the open internet, names an address inside a network
    #[arg(long)]
    allow_any_address: bool,
    /// Show requests and answers on standard error, with credentials masked
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn binding(name: &str) -> Result<Binding, String> {
    match name.to_ascii_lowercase().as_str() {
        "jsonrpc" | "json-rpc" => Ok(Binding::JsonRpc),
        "rest" | "http" | "http+json" => Ok(Binding::Rest),
        "grpc" => Ok(Binding::Grpc),
        _ => Err("it is one of jsonrpc, rest and grpc".to_owned()),
    }
}

/// A text that is not shown.
#[derive(Clone)]
struct Secret(String);

impl FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A key, and where it goes.
#[derive(Debug, Clone)]
struct ApiKey {
    place: KeyPlace,
    name: String,
    key: Secret,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyPlace {
    /// Where the card says.
    Card,
    Header,
    Query,
    Cookie,
}

impl FromStr for ApiKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let placed = [
            ("header:", KeyPlace::Header),
            ("query:", KeyPlace::Query),
            ("cookie:", KeyPlace::Cookie),
        ];
        let found = placed
            .into_iter()
            .find_map(|(prefix, place)| Some((place, text.strip_prefix(prefix)?)));
        let Some((place, rest)) = found else {
            if text.is_empty() {
                return Err("it is empty");
            }
            return Ok(Self {
                place: KeyPlace::Card,
                name: String::new(),
                key: Secret(text.to_owned()),
            });
        };
        match rest.split_once('=') {
            Some((name, key)) if !name.is_empty() && !key.is_empty() => Ok(Self {
                place,
                name: name.to_owned(),
                key: Secret(key.to_owned()),
            }),
            _ => Err("write the name, too: header:X-API-Key=KEY"),
        }
    }
}

/// A header.
#[derive(Clone)]
struct Header {
    name: String,
    value: String,
}

impl FromStr for Header {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text
            .split_once(':')
            .ok_or("write it as NAME: VALUE, for example 'X-Trace: 1'")?;
        Ok(Self {
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
        })
    }
}

/// Its value may be a secret.
impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Header").field(&self.name).finish()
    }
}

impl Connection {
    /// Reads the card of the agent at an address, and chooses an interface.
    pub(crate) async fn connect(&self, url: &str) -> Result<Client, Failure> {
        let client = self.builder(None)?.connect(url).await?;
        let Some(tenant) = &self.tenant else {
            return Ok(client);
        };
        let mut card = (*client.card()).clone();
        for interface in &mut card.supported_interfaces {
            interface.tenant.clone_from(tenant);
        }
        Ok(self.builder(None)?.base_url(url).with_card(card)?)
    }

    /// A client with all flags, that has not been connected. What comes in is kept by the recorder.
    pub(crate) fn builder(
        &self,
        recorder: Option<Arc<Recorder>>,
    ) -> Result<ClientBuilder, Failure> {
        let mut builder = Client::builder();
        if self.verbose || recorder.is_some() {
            builder = builder.transport(Wire::new(self.verbose, self.secrets(), recorder)?);
        }
        if let Some(binding) = self.binding {
            builder = builder.bindings([binding]);
        }
        if let Some(version) = self.protocol_version {
            builder = builder.require_version(version);
        }
        for uri in &self.extension {
            builder = builder.extension(uri);
        }
        for Header { name, value } in &self.header {
            builder = builder.header(name, value);
        }
        if let Some(Secret(token)) = &self.bearer {
            builder = builder.credentials(Credentials::bearer(token));
        }
        if let Some(ApiKey { place, name, key }) = &self.api_key {
            builder = match place {
                KeyPlace::Card => builder.any_scheme(SchemeCredentials::api_key(&key.0)),
                KeyPlace::Header => builder.credentials(Credentials::api_key_header(name, &key.0)),
                KeyPlace::Query => builder.credentials(Credentials::api_key_query(name, &key.0)),
                KeyPlace::Cookie => builder.credentials(Credentials::api_key_cookie(name, &key.0)),
            };
        }
        if let Some(Secret(both)) = &self.basic {
            let (user, password) = both.split_once(':').unwrap_or((both, ""));
            builder = builder.credentials(Credentials::basic(user, password));
        }
        if let Some(seconds) = self.timeout {
            let limit = Duration::from_secs(seconds);
            builder = builder.timeout(limit).send_timeout(limit);
        }
        if self.allow_any_address {
            builder = builder.allow_any_address();
        }
        Ok(builder)
    }

    /// What must not be shown, wherever it stands.
    fn secrets(&self) -> Vec<String> {
        let password = |both: &Secret| {
            both.0
                .split_once(':')
                .map(|(_, password)| password.to_owned())
        };
        let bearer = self.bearer.iter().map(|secret| secret.0.clone());
        let bearer = bearer.chain(self.basic.iter().filter_map(password));
        let key = self.api_key.iter().map(|key| key.key.0.clone());
        bearer
            .chain(key)
            .filter(|secret| !secret.is_empty())
            .collect()
    }

    /// A command for the same agent, as a shell takes it. Secrets are not repeated: their place is
    /// taken by the variables that they can be put into.
    pub(crate) fn command(&self, verb: &str, url: &str, rest: &[&str]) -> String {
        let mut line = format!("cargo a2a {verb} {}", text::quoted(url));
        let mut add = |flag: &str, value: &str| {
            let _ = write!(line, " --{flag} {}", text::quoted(value));
        };
        if let Some(binding) = self.binding {
            let name = match binding {
                Binding::Grpc => "grpc",
                Binding::Rest => "rest",
                _ => "jsonrpc",
            };
            add("binding", name);
        }
        if let Some(version) = self.protocol_version {
            add("protocol-version", &version.to_string());
        }
        if let Some(tenant) = &self.tenant {
            add("tenant", tenant);
        }
        for uri in &self.extension {
            add("extension", uri);
        }
        for Header { name, value } in &self.header {
            let value = if wire::is_secret_name(name) {
                "…"
            } else {
                value
            };
            add("header", &format!("{name}: {value}"));
        }
        if self.allow_any_address {
            line.push_str(" --allow-any-address");
        }
        let set = |name: &str| std::env::var_os(name).is_some();
        for (given, flag, name) in [
            (self.bearer.is_some(), "bearer", "A2A_BEARER"),
            (self.basic.is_some(), "basic", "A2A_BASIC"),
            (self.api_key.is_some(), "api-key", "A2A_API_KEY"),
        ] {
            if given && !set(name) {
                let _ = write!(line, " --{flag} \"${name}\"");
            }
        }
        for word in rest {
            line.push(' ');
            line.push_str(&text::quoted(word));
        }
        line
    }
}

/// Runs a command that talks to agents.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let result = runtime.block_on(work);
    // Somebody may still be asked for a line, which nobody waits for.
    runtime.shutdown_background();
    result
}

/// A message as JSON: one line of A2A 1.0.
pub(crate) fn json_of<T: a2a_kit::wire::WireMessage>(message: T) -> Result<String, Error> {
    let bytes = a2a_kit::Shared::new(message).json()?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse<T: FromStr>(text: &str) -> Option<T> {
        text.parse().ok()
    }

    #[test]
    fn keys_say_where_they_go() {
        let place = |text: &str| parse::<ApiKey>(text).map(|key| (key.place, key.name, key.key.0));
        let is = |place, name: &str, key: &str| Some((place, name.to_owned(), key.to_owned()));
        assert_eq!(place("abc=="), is(KeyPlace::Card, "", "abc=="));
        assert_eq!(
            place("header:X-API-Key=a=b"),
            is(KeyPlace::Header, "X-API-Key", "a=b")
        );
        assert_eq!(place("query:key=k"), is(KeyPlace::Query, "key", "k"));
        assert_eq!(place("cookie:key=k"), is(KeyPlace::Cookie, "key", "k"));
        for wrong in ["header:secret", "cookie:=k", "query:k", ""] {
            assert!(place(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn commands_repeat_everything_but_secrets() {
        let connection = Connection {
            binding: Some(Binding::Rest),
            protocol_version: Some(ProtocolVersion::V0_3),
            tenant: Some("a b".to_owned()),
            extension: vec!["urn:x".to_owned()],
            header: vec![
                parse("X-Trace: 1").unwrap(),
                parse("Authorization: Basic c2VjcmV0").unwrap(),
            ],
            bearer: parse("s3cret"),
            ..Connection::default()
        };
        let line = connection.command("send", "http://h:1/it's", &["--task", "t;1"]);
        assert_eq!(
            line,
            "cargo a2a send 'http://h:1/it'\\''s' --binding rest --protocol-version 0.3 --tenant 'a b' \
             --extension urn:x --header 'X-Trace: 1' --header 'Authorization: …' --bearer \"$A2A_BEARER\" \
             --task 't;1'"
        );
        let shown = format!("{connection:?}");
        assert!(
            !shown.contains("s3cret") && !shown.contains("c2Vj"),
            "{shown}"
        );
    }
}
