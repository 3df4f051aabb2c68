//! Where a card is.
//!
//! Comes in: an address or the name of a file. Goes out: the bytes of the card, and the answer that
//! they came in, if they came over the network.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use http::{HeaderMap, StatusCode};

use crate::agent::Connection;
use crate::agent::wire::Recorder;
use crate::exit::Failure;

/// How large a card may be: as for clients.
const LIMIT: u64 = 8 << 20;

/// A card as it is there.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) body: Vec<u8>,
    /// The head of the answer, for a card from the network.
    pub(super) headers: Option<HeaderMap>,
}

/// Reads a card, whatever is in it.
pub(super) async fn read(source: &str, connection: &Connection) -> Result<Found, Failure> {
    if source == "-" {
        return bounded("standard input", std::io::stdin());
    }
    let is_url = source.starts_with("http://") || source.starts_with("https://");
    if !is_url {
        if !Path::new(source).exists() {
            return Err(Failure::usage(format!(
                "there is no file {source}; an address begins with http:// or https://"
            )));
        }
        let file = std::fs::File::open(source)
            .map_err(|error| Failure::tool(format!("{source}: {error}")))?;
        return bounded(source, file);
    }
    let recorder = Arc::new(Recorder::default());
    let connected = connection
        .builder(Some(Arc::clone(&recorder)))?
        .connect(source)
        .await;
    // A card of which a client can make nothing is still one to look at.
    match (recorder.last(), connected) {
        (Some(answer), _) if answer.status == StatusCode::OK && answer.whole => Ok(Found {
            body: answer.body,
            headers: Some(answer.headers),
        }),
        (_, Err(error)) => Err(error.into()),
        (_, Ok(_)) => Err(Failure::tool("the card came, but could not be kept")),
    }
}

fn bounded(name: &str, from: impl std::io::Read) -> Result<Found, Failure> {
    let mut body = Vec::new();
    from.take(LIMIT + 1)
        .read_to_end(&mut body)
        .map_err(|error| Failure::tool(format!("{name}: {error}")))?;
    if body.len() as u64 > LIMIT {
        return Err(Failure::tool(format!(
            "{name} is larger than {LIMIT} bytes, which no card is"
        )));
    }
    Ok(Found {
        body,
        headers: None,
    })
}
