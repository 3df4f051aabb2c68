//! Where an agent is reached: in v0.3 an address with its transport, more of them beside it, and
//! one version for all; in v1.0 a list of interfaces, each with its version.
//!
//! Comes in: the members of a card of one version. Goes out: those of the other one. Serves the
//! proto and the JSON schema alike.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::adapt::{Adapter, Refused};
use crate::v1_0::AgentInterface;

/// What may be lost: digits of a patch; interfaces of other versions, and tenants.
#[cfg(test)]
pub(super) const LOSSES: &[&str] = &["U6", "D1", "D6"];

/// What v0.3 means when a card names no transport.
const DEFAULT_TRANSPORT: &str = "JSONRPC";

/// What v0.3 means when a card names no version.
const DEFAULT_VERSION: &str = "0.3";

/// Interfaces from an address, its transport, and more interfaces that know no version yet.
///
/// # Errors
/// When the version cannot be one. What is missing is told by the check of required fields.
pub(crate) fn up(
    url: String,
    preferred_transport: String,
    additional_interfaces: Vec<AgentInterface>,
    protocol_version: String,
    adapter: &Adapter,
) -> Result<Vec<AgentInterface>, Refused> {
    let version = version_up(protocol_version, adapter)?;
    let mut interfaces: Vec<AgentInterface> =
        Vec::with_capacity(additional_interfaces.len().saturating_add(1));
    if !url.is_empty() || !preferred_transport.is_empty() || additional_interfaces.is_empty() {
        interfaces.push(AgentInterface {
            url,
            protocol_binding: preferred_transport,
            ..AgentInterface::default()
        });
    }
    interfaces.extend(additional_interfaces);
    for interface in &mut interfaces {
        if interface.protocol_binding.is_empty() {
            DEFAULT_TRANSPORT.clone_into(&mut interface.protocol_binding);
        }
        version.clone_into(&mut interface.protocol_version);
    }
    without_repetitions(&mut interfaces);
    Ok(interfaces)
}

/// The specification asks cards to repeat the main address among the additional ones.
fn without_repetitions(interfaces: &mut Vec<AgentInterface>) {
    let mut seen = BTreeSet::new();
    let are_new: Vec<bool> = interfaces
        .iter()
        .map(|interface| seen.insert((&interface.url, &interface.protocol_binding)))
        .collect();
    let mut are_new = are_new.into_iter();
    interfaces.retain(|_| are_new.next().unwrap_or_default());
}

/// More letters than any version has. It is written into every interface, so a long text would be
/// held as often as a card has interfaces.
const LONGEST_VERSION: usize = 64;

/// Major and minor number: v1.0 does not look at more.
fn version_up(mut version: String, adapter: &Adapter) -> Result<String, Refused> {
    if version.is_empty() {
        return Ok(DEFAULT_VERSION.to_owned());
    }
    if version.len() > LONGEST_VERSION {
        return Err(Refused::at(
            "protocolVersion",
            format!(
                "is no version: it has {} bytes; expected such as \"0.3.0\"",
                version.len()
            ),
        ));
    }
    let mut dots = version.match_indices('.').map(|(place, _)| place);
    let Some(cut) = dots.nth(1) else {
        return Ok(version);
    };
    // A zero comes back on the way down.
    if &version[cut..] != ".0" {
        adapter.loss_of(
            "U6",
            "protocolVersion",
            "what follows the minor version is cut off",
        );
    }
    version.truncate(cut);
    Ok(version)
}

/// What a v0.3 card says of the interfaces that speak v0.3: address, transport, more interfaces,
/// version.
///
/// # Errors
/// When no interface speaks v0.3.
pub(crate) fn down(
    interfaces: &[AgentInterface],
    adapter: &Adapter,
) -> Result<(String, String, Vec<AgentInterface>, String), Refused> {
    let mut found: Option<(String, String, String)> = None;
    let mut others = Vec::new();
    for (index, interface) in interfaces.iter().enumerate() {
        let lost = |id, field, detail| {
            adapter.element(index, |adapter| {
                match field {
                    Some(field) => adapter.loss_of(id, field, detail),
                    None => adapter.loss(id, detail),
                }
                Ok(())
            })
        };
        let Some(version) = version_down(&interface.protocol_version) else {
            lost(
                "D6",
                None,
                "an interface of another version has no place in a card of v0.3",
            )?;
            continue;
        };
        if !interface.tenant.is_empty() {
            lost("D1", Some("tenant"), "v0.3 has no tenants")?;
        }
        match &found {
            None => {
                found = Some((
                    interface.url.clone(),
                    interface.protocol_binding.clone(),
                    version,
                ));
            }
            Some((_, _, first)) => {
                if *first != version {
                    lost(
                        "D6",
                        Some("protocolVersion"),
                        "a card of v0.3 has one version for all interfaces",
                    )?;
                }
                others.push(AgentInterface {
                    url: interface.url.clone(),
                    protocol_binding: interface.protocol_binding.clone(),
                    ..AgentInterface::default()
                });
            }
        }
    }
    match found {
        Some((url, transport, version)) => Ok((url, transport, others, version)),
        None => Err(Refused::new(
            "no interface speaks version 0.3; give the card one whose protocolVersion is \"0.3\"",
        )),
    }
}

/// The version as v0.3 writes it, `0.3.0`, when it is at least 0.3 and below 1.0.
fn version_down(version: &str) -> Option<String> {
    let mut numbers = version.split('.');
    let mut number = || numbers.next()?.parse::<u32>().ok();
    let (major, minor) = (number()?, number()?);
    let is_old = major == 0 && minor.cmp(&3) != Ordering::Less;
    match numbers.next() {
        _ if !is_old => None,
        None => Some(format!("{version}.0")),
        Some(_) => Some(version.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(url: &str, binding: &str, version: &str) -> AgentInterface {
        AgentInterface::new()
            .with_url(url)
            .with_protocol_binding(binding)
            .with_protocol_version(version)
    }

    fn ids(adapter: Adapter) -> Vec<String> {
        let losses = adapter.into_losses();
        losses
            .iter()
            .map(|loss| format!("{} {}", loss.id, loss.path))
            .collect()
    }

    #[test]
    fn the_main_address_comes_first_and_once() {
        let adapter = Adapter::default();
        let more = vec![
            interface("https://n", "GRPC", ""),
            interface("https://n", "JSONRPC", ""),
            interface("https://m", "GRPC", ""),
            interface("https://n", "JSONRPC", ""),
        ];
        let found = up(
            "https://n".into(),
            "GRPC".into(),
            more,
            "0.3.0".into(),
            &adapter,
        );
        let expected = vec![
            interface("https://n", "GRPC", "0.3"),
            interface("https://n", "JSONRPC", "0.3"),
            interface("https://m", "GRPC", "0.3"),
        ];
        assert_eq!(found, Ok(expected));
        assert!(ids(adapter).is_empty());
    }

    #[test]
    fn what_a_card_leaves_out_has_its_default() {
        let adapter = Adapter::default();
        let found = up("u".into(), String::new(), vec![], String::new(), &adapter);
        assert_eq!(found, Ok(vec![interface("u", "JSONRPC", "0.3")]));
        let more = vec![interface("v", "GRPC", "")];
        let found = up(String::new(), String::new(), more, "0.3".into(), &adapter);
        assert_eq!(found, Ok(vec![interface("v", "GRPC", "0.3")]));
        assert!(ids(adapter).is_empty());
    }

    #[test]
    fn a_patch_is_cut_and_told_when_it_says_something() {
        for (version, cut, lost) in [
            ("0.3.0", "0.3", false),
            ("0.3.1", "0.3", true),
            ("0.3.0-rc.1", "0.3", true),
            ("0.3", "0.3", false),
            ("3", "3", false),
        ] {
            let adapter = Adapter::default();
            let found = up("u".into(), "GRPC".into(), vec![], version.into(), &adapter).unwrap();
            assert_eq!(found[0].protocol_version, cut, "{version}");
            assert_eq!(ids(adapter) == ["U6 protocolVersion"], lost, "{version}");
        }
    }

    #[test]
    fn what_is_too_long_for_a_version_is_not_put_into_every_interface() {
        let long = "9".repeat(LONGEST_VERSION + 1);
        let more = vec![AgentInterface::default(); 3];
        let adapter = Adapter::default();
        let found = up("u".into(), String::new(), more, long, &adapter);
        assert_eq!(found.unwrap_err().path, "protocolVersion");
    }

    #[test]
    fn interfaces_of_other_versions_stay_behind() {
        let adapter = Adapter::default();
        let all = [
            interface("a", "JSONRPC", "1.0"),
            interface("b", "GRPC", "0.3").with_tenant("t"),
            interface("c", "JSONRPC", "0.3"),
            interface("d", "JSONRPC", "0.2.6"),
            interface("e", "JSONRPC", ""),
            interface("f", "JSONRPC", "0.4.1").with_tenant("t"),
        ];
        let (url, transport, others, version) = down(&all, &adapter).unwrap();
        assert_eq!(
            (url.as_str(), transport.as_str(), version.as_str()),
            ("b", "GRPC", "0.3.0")
        );
        assert_eq!(
            others,
            [interface("c", "JSONRPC", ""), interface("f", "JSONRPC", "")]
        );
        assert_eq!(
            ids(adapter),
            [
                "D6 [0]",
                "D1 [1].tenant",
                "D6 [3]",
                "D6 [4]",
                "D1 [5].tenant",
                "D6 [5].protocolVersion"
            ]
        );
    }

    #[test]
    fn a_card_without_an_interface_of_v0_3_is_refused() {
        for version in [
            "1.0",
            "",
            "0",
            "0.2",
            "x.y",
            "0.-3",
            "00.03.",
            "99999999999.3",
        ] {
            let found = down(&[interface("a", "JSONRPC", version)], &Adapter::default());
            assert_eq!(found.is_err(), version != "00.03.", "{version}");
        }
        assert!(down(&[], &Adapter::default()).is_err());
    }
}
