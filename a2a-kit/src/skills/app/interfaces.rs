//! Interfaces of a card, from the public URL of an agent.
//!
//! Comes in: where clients reach the agent, and by what. Goes out: an interface for each binding in
//! each version, the newest version first: clients take the first one that they can speak.

use std::net::SocketAddr;

use a2a_wire::v1_0::AgentInterface;
use http::Uri;

use crate::skills::Description;
use crate::{Binding, ProtocolVersion};

pub(super) const BINDINGS: &[Binding] = &[
    Binding::JsonRpc,
    Binding::Rest,
    #[cfg(feature = "grpc")]
    Binding::Grpc,
];
const VERSIONS: &[ProtocolVersion] = &[ProtocolVersion::V1_0, ProtocolVersion::V0_3];

/// Where clients reach an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PublicUrl {
    /// Without a slash at its end.
    base: String,
    /// What clients of gRPC take.
    grpc: String,
}

impl PublicUrl {
    /// Reads a URL, or says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        const FORM: &str = "write one such as https://agent.example.com";
        let wrong = |why: &str| Err(format!("{text:?} {why}; {FORM}"));
        let Ok(uri) = text.parse::<Uri>() else {
            return wrong("is no URL");
        };
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return wrong("names no scheme and host");
        };
        let is_tls = match scheme {
            "http" => false,
            "https" => true,
            _ => return wrong("is no URL of HTTP"),
        };
        if authority.as_str().contains('@') {
            return wrong("names a user, which everybody would read");
        }
        if authority.host().is_empty() {
            return wrong("names no host");
        }
        if uri.query().is_some() || text.contains('#') {
            return wrong("has more than a path");
        }
        let host = authority.host();
        let grpc = match (is_tls, authority.port_u16()) {
            // Clients of gRPC take an authority; with a scheme in front, many cannot connect. At
            // this port they speak TLS.
            (true, None | Some(443)) => format!("{host}:443"),
            (true, Some(port)) => format!("https://{host}:{port}"),
            (false, port) => format!("{host}:{}", port.unwrap_or(80)),
        };
        Ok(Self {
            base: text.trim_end_matches('/').to_owned(),
            grpc,
        })
    }

    /// Where an agent listens; clients cannot call all addresses at once.
    pub(super) fn at(addr: SocketAddr) -> Result<Self, String> {
        if addr.ip().is_unspecified() {
            return Err(format!(
                "the agent listens at all addresses ({addr}), and its card must name one: write .public_url(\"http://agent.example.com:{0}\"), or A2A_PUBLIC_URL=http://agent.example.com:{0}",
                addr.port()
            ));
        }
        Ok(Self {
            base: format!("http://{addr}"),
            grpc: addr.to_string(),
        })
    }

    /// The URL itself.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    fn interface(
        &self,
        binding: Binding,
        version: ProtocolVersion,
        tenant: &str,
    ) -> AgentInterface {
        let url = match binding {
            Binding::Grpc => &self.grpc,
            _ => &self.base,
        };
        AgentInterface::new()
            .with_url(url)
            .with_protocol_binding(binding.card_name())
            .with_protocol_version(version.to_string())
            .with_tenant(tenant)
    }
}

/// The interfaces of an agent: those that were said, else those at its URL.
pub(super) fn interfaces(
    description: &Description,
    url: Option<&PublicUrl>,
) -> Vec<AgentInterface> {
    let Some(url) = url.filter(|_| description.interfaces.is_empty()) else {
        return description.interfaces.clone();
    };
    let bindings = description.bindings.unwrap_or(BINDINGS);
    let mut versions = description.versions.unwrap_or(VERSIONS).to_vec();
    versions.sort_by(|one, other| other.cmp(one));
    let plain = versions.iter().flat_map(|version| {
        bindings
            .iter()
            .map(|binding| url.interface(*binding, *version, ""))
    });
    // Version 0.3 has no tenants.
    let newer = versions
        .iter()
        .filter(|version| **version > ProtocolVersion::V0_3);
    let of_tenants = newer.flat_map(|version| {
        description.tenants.iter().flat_map(|tenant| {
            let interface = |binding: &Binding| url.interface(*binding, *version, tenant);
            bindings.iter().map(interface)
        })
    });
    plain.chain(of_tenants).collect()
}

#[cfg(test)]
mod tests {
    use a2a_wire::v1_0::AgentCard;

    use super::*;

    fn grpc_at(url: &str) -> String {
        PublicUrl::parse(url).unwrap().grpc
    }

    #[test]
    fn clients_of_grpc_get_an_authority_with_its_port() {
        assert_eq!(grpc_at("https://a.example"), "a.example:443");
        assert_eq!(grpc_at("https://a.example:443/x"), "a.example:443");
        assert_eq!(grpc_at("https://a.example:8443"), "https://a.example:8443");
        assert_eq!(grpc_at("http://a.example"), "a.example:80");
        assert_eq!(grpc_at("http://[::1]:8080/"), "[::1]:8080");
    }

    #[test]
    fn what_clients_cannot_call_is_refused() {
        for url in [
            "",
            "a.example",
            "/x",
            "ftp://a.example",
            "http://",
            "http://u:p@a.example",
            "http://a.example?x=1",
            "http://a.example#x",
            "http://a b",
        ] {
            assert!(PublicUrl::parse(url).is_err(), "{url:?}");
        }
        let said = PublicUrl::at("0.0.0.0:8080".parse().unwrap()).unwrap_err();
        assert!(
            said.contains("A2A_PUBLIC_URL=http://agent.example.com:8080"),
            "{said}"
        );
        assert!(PublicUrl::at("[::]:1".parse().unwrap()).is_err());
        let local = PublicUrl::at("127.0.0.1:1".parse().unwrap()).unwrap();
        assert_eq!(
            (local.base(), &*local.grpc),
            ("http://127.0.0.1:1", "127.0.0.1:1")
        );
    }

    #[test]
    fn there_is_one_for_each_binding_in_each_version_and_for_each_tenant_in_the_newer_ones() {
        let url = PublicUrl::parse("http://a.example:1/").unwrap();
        let description = Description::new(AgentCard::new())
            .bindings(&[Binding::Rest, Binding::JsonRpc])
            .versions(&[ProtocolVersion::V0_3, ProtocolVersion::V1_0])
            .tenants(&["north", "south"]);
        let made: Vec<String> = interfaces(&description, Some(&url))
            .iter()
            .map(|made| {
                assert_eq!(made.url, "http://a.example:1");
                format!(
                    "{} {} {}",
                    made.protocol_binding, made.protocol_version, made.tenant
                )
            })
            .collect();
        assert_eq!(
            made,
            [
                "HTTP+JSON 1.0 ",
                "JSONRPC 1.0 ",
                "HTTP+JSON 0.3 ",
                "JSONRPC 0.3 ",
                "HTTP+JSON 1.0 north",
                "JSONRPC 1.0 north",
                "HTTP+JSON 1.0 south",
                "JSONRPC 1.0 south",
            ]
        );
        assert!(interfaces(&description, None).is_empty());
        let said = description.interface(
            Binding::Rest,
            ProtocolVersion::V1_0,
            "https://b.example",
            "",
        );
        assert_eq!(interfaces(&said, Some(&url)).len(), 1);
        let all = Description::new(AgentCard::new());
        let count = if cfg!(feature = "grpc") { 6 } else { 4 };
        assert_eq!(interfaces(&all, Some(&url)).len(), count);
    }
}
