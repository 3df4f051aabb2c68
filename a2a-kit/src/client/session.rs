//! The interfaces of a card, ready to be called.
//!
//! Comes in: a card and what the user prefers. Goes out: one [`Peer`] for each interface that can
//! be called, best first; and why the others cannot.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_wire::v1_0::{AgentCard, AgentInterface};
use http::Uri;

use super::address;
use super::builder::Options;
use super::card::shown;
use super::channel::Channel;
use super::credentials::Dressed;
#[cfg(feature = "grpc")]
use super::grpc::GrpcChannel;
use super::jsonrpc::JsonRpcChannel;
use super::location::{Origin, is_inner, resolve};
use super::rest::RestChannel;
use super::select::{Choice, Reason, SPOKEN, Skipped, select};
use super::served::ServiceChannel;
use super::transport::ChannelOptions;
use crate::capability::Capabilities;
use crate::context::{Binding, ProtocolVersion};
use crate::error::{Code, Error};
use crate::generated::v1_0::A2A_SERVICE;
use crate::v0_3::Peer as Peer03;

/// What kind of call it is, as far as time goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Answered at once.
    Read,
    /// Answered when the agent has done its work.
    Send,
    /// Answered by a stream.
    Stream,
}

/// An interface of an agent, ready to be called.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) interface: AgentInterface,
    pub(super) origin: Option<Origin>,
    /// For reads and streams.
    quick: Arc<dyn Channel>,
    /// For calls that take as long as the agent works.
    patient: Arc<dyn Channel>,
}

impl Peer {
    pub(super) fn channel(&self, lane: Lane) -> &dyn Channel {
        match lane {
            Lane::Read | Lane::Stream => &*self.quick,
            Lane::Send => &*self.patient,
        }
    }

    /// For messages.
    pub(super) fn name(&self) -> String {
        format!(
            "{} at {}",
            self.interface.protocol_binding,
            address::shown(&self.interface.url)
        )
    }
}

/// A card, and what can be called of it.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) card: Arc<AgentCard>,
    /// Where the card was.
    pub(super) place: Option<Uri>,
    pub(super) capabilities: Capabilities,
    /// Best first; never empty.
    pub(super) peers: Vec<Arc<Peer>>,
    /// The one that was reached last.
    current: AtomicUsize,
    /// The public card's version, when this is the extended one.
    pub(super) extends: Option<String>,
}

impl Session {
    /// Reads a card. Interfaces that are what they were in an earlier session keep what they have
    /// learned there.
    ///
    /// # Errors
    /// When no interface can be called; it says for each why.
    pub(super) fn open(
        card: AgentCard,
        place: Option<Uri>,
        options: &Options,
        transport: &Dressed,
        before: Option<&Self>,
    ) -> Result<Self, Error> {
        let mut selection = select(&card.supported_interfaces, &options.preferences, SPOKEN);
        let mut peers = Vec::with_capacity(selection.choices.len());
        for choice in &selection.choices {
            let Some(interface) = card.supported_interfaces.get(choice.index) else {
                continue;
            };
            let known = before.and_then(|before| {
                before
                    .peers
                    .iter()
                    .find(|peer| peer.interface == *interface)
            });
            let made = match known {
                Some(peer) => Ok(Arc::clone(peer)),
                None => peer(interface, *choice, place.as_ref(), options, transport).map(Arc::new),
            };
            match made {
                Ok(peer) => peers.push(peer),
                Err(fault) => selection.skipped.push(Skipped {
                    index: choice.index,
                    reason: Reason::Address(fault),
                }),
            }
        }
        if peers.is_empty() {
            selection.skipped.sort_by_key(|skipped| skipped.index);
            return Err(nothing_to_call(&card, place.as_ref(), &selection.skipped));
        }
        let current = before.and_then(|before| {
            let reached = before.peers.get(before.current.load(Ordering::Relaxed))?;
            peers
                .iter()
                .position(|peer| peer.interface == reached.interface)
        });
        Ok(Self {
            capabilities: Capabilities::of(&card),
            card: Arc::new(card),
            place,
            peers,
            current: AtomicUsize::new(current.unwrap_or_default()),
            extends: None,
        })
    }

    /// The interface that is called first.
    pub(super) fn current(&self) -> Option<&Arc<Peer>> {
        self.peers
            .get(self.current.load(Ordering::Relaxed))
            .or_else(|| self.peers.first())
    }

    /// The interfaces in the order in which they are tried: the one that was reached last, then the
    /// others, best first.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (usize, &Arc<Peer>)> {
        let current = self.current.load(Ordering::Relaxed);
        let first = self.peers.get(current).map(|peer| (current, peer));
        first.into_iter().chain(
            self.peers
                .iter()
                .enumerate()
                .filter(move |(index, _)| *index != current),
        )
    }

    /// Notes that an interface was reached.
    pub(super) fn reached(&self, index: usize) {
        self.current.store(index, Ordering::Relaxed);
    }
}

fn peer(
    interface: &AgentInterface,
    choice: Choice,
    place: Option<&Uri>,
    options: &Options,
    transport: &Dressed,
) -> Result<Peer, String> {
    let url = resolve(place, &interface.url)?;
    if choice.binding == Binding::Rest
        && let Some(verb) = operation_at_the_end(&url)
    {
        return Err(format!(
            "is the address of an operation ({verb}), to which no paths can be added; the url of an interface is what stands before its paths"
        ));
    }
    let channel = |timeout: Option<Duration>| {
        channel(
            choice.binding,
            &url,
            transport,
            options.channel.call_timeout(timeout),
        )
        .map(|(channel, url)| (in_version(choice.version, channel, options), url))
        .map_err(|error| format!("cannot be called: {}", error.message()))
    };
    let (quick, called) = channel(options.timeout)?;
    let (patient, _) = channel(options.send_timeout)?;
    let origin = called.parse().ok().as_ref().and_then(Origin::of);
    if !options.any_address
        && let (Some(place), Some(origin)) = (place.and_then(Origin::of), &origin)
        && is_inner(origin.host())
        && !is_inner(place.host())
    {
        return Err(format!(
            "is at {}, inside of a network, while the card is from outside of it; when that is meant so, say it with ClientBuilder::allow_any_address",
            origin.host()
        ));
    }
    Ok(Peer {
        origin,
        quick,
        patient,
        interface: interface.clone(),
    })
}

/// The operation that a URL ends with, by its verb, when it is one of the service's.
fn operation_at_the_end(url: &str) -> Option<&'static str> {
    let path = url.split('?').next().unwrap_or_default();
    let (_, verb) = path.rsplit('/').next()?.rsplit_once(':')?;
    A2A_SERVICE
        .routes
        .iter()
        .filter(|route| route.verb == Some(verb))
        .find_map(|route| A2A_SERVICE.operations.get(route.operation))
        .map(|operation| operation.name)
}

/// A channel for calls of v1.0 to a peer that speaks a version.
fn in_version(
    version: ProtocolVersion,
    channel: Arc<dyn Channel>,
    options: &Options,
) -> Arc<dyn Channel> {
    if version == ProtocolVersion::V0_3 {
        let mut adapt = a2a_wire::adapt::Options::default();
        adapt.file_bytes = options.file_bytes;
        Arc::new(ServiceChannel::new(Peer03::with_options(channel, adapt)))
    } else {
        channel
    }
}

/// A channel to an address, and the URL that it calls.
fn channel(
    binding: Binding,
    url: &str,
    transport: &Dressed,
    options: ChannelOptions,
) -> Result<(Arc<dyn Channel>, String), Error> {
    let transport = transport.clone();
    match binding {
        Binding::JsonRpc => {
            let channel = JsonRpcChannel::new(url, transport)?.options(options);
            let url = channel.url().to_string();
            Ok((Arc::new(channel), url))
        }
        Binding::Rest => {
            let channel = RestChannel::new(url, transport)?.options(options);
            let url = channel.url().to_owned();
            Ok((Arc::new(channel), url))
        }
        #[cfg(feature = "grpc")]
        Binding::Grpc => {
            let channel = GrpcChannel::new(url, transport)?.options(options);
            let url = channel.url().to_owned();
            Ok((Arc::new(channel), url))
        }
        #[cfg(not(feature = "grpc"))]
        Binding::Grpc => Err(Error::internal(Reason::NoGrpc.to_string())),
        Binding::Local => Err(Error::internal("a local call has no address")),
    }
}

fn nothing_to_call(card: &AgentCard, place: Option<&Uri>, skipped: &[Skipped]) -> Error {
    let place = place
        .map(|place| format!(" at {}", shown(place)))
        .unwrap_or_default();
    let mut message = format!(
        "the agent card of {:?}{place} names no interface that this client can call",
        card.name
    );
    if skipped.is_empty() {
        message.push_str(
            ": its supportedInterfaces are empty, and it has no url as cards of A2A 0.3 do",
        );
    }
    for (count, Skipped { index, reason }) in skipped.iter().enumerate() {
        let separator = if count == 0 { ": " } else { "; " };
        let (binding, url) = card
            .supported_interfaces
            .get(*index)
            .map_or(("", ""), |interface| {
                (interface.protocol_binding.as_str(), interface.url.as_str())
            });
        let url = address::shown(url);
        let _ = write!(message, "{separator}{binding:?} at {url:?} {reason}");
    }
    let only_versions = !skipped.is_empty()
        && skipped.iter().all(|skipped| {
            matches!(
                skipped.reason,
                Reason::VersionNotSpoken(_) | Reason::VersionNotWanted(_)
            )
        });
    if only_versions {
        Error::version_not_supported(message)
    } else {
        Error::new(Code::FailedPrecondition, message)
    }
}
