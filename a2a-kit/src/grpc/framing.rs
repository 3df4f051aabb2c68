//! The one message of a request, watched while it comes in.
//!
//! Comes in: the body of a gRPC request. Goes out: the same body; or, in its place, the status for
//! a message that is too large, cut short, missing, or not the only one.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};
use tokio::sync::OwnedSemaphorePermit;
use tonic::Status;

use crate::body::Body;
use crate::error::{Code, Error};
use crate::intake::{Intake, too_large};

use super::status;

/// Compression flag and length.
const HEAD: usize = 5;

/// Room for the message, on its way from the body to the call.
#[derive(Default)]
pub(super) struct Room(Mutex<Option<OwnedSemaphorePermit>>);

impl Room {
    fn put(&self, room: Option<OwnedSemaphorePermit>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = room;
    }

    pub(super) fn take(&self) -> Option<OwnedSemaphorePermit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

pub(super) struct OneMessage {
    body: Body,
    intake: Intake,
    room: Arc<Room>,
    head: [u8; HEAD],
    /// Bytes seen so far, head included.
    seen: u64,
    ended: bool,
}

impl OneMessage {
    pub(super) fn new(body: Body, intake: Intake, room: Arc<Room>) -> Self {
        Self {
            body,
            intake,
            room,
            head: [0; HEAD],
            seen: 0,
            ended: false,
        }
    }

    fn length(&self) -> u64 {
        u64::from(u32::from_be_bytes([
            self.head[1],
            self.head[2],
            self.head[3],
            self.head[4],
        ]))
    }

    fn see(&mut self, data: &[u8]) -> Result<(), Status> {
        // Less than `HEAD` when it counts.
        let known = usize::try_from(self.seen).unwrap_or(usize::MAX);
        if known < HEAD {
            let new = data.len().min(HEAD - known);
            self.head[known..known + new].copy_from_slice(&data[..new]);
        }
        self.seen += data.len() as u64;
        if self.seen < HEAD as u64 {
            return Ok(());
        }
        if self.head[0] > 1 {
            return Err(invalid(
                "the first byte of the message is no compression flag",
            ));
        }
        let limit = self.intake.limit();
        if self.length() > limit as u64 {
            return Err(status::plain(&too_large(limit)));
        }
        if known < HEAD {
            // tonic makes room for the whole message now.
            let length = usize::try_from(self.length()).unwrap_or(limit);
            self.room.put(
                self.intake
                    .room(length)
                    .map_err(|error| status::plain(&error))?,
            );
        }
        if self.seen > HEAD as u64 + self.length() {
            return Err(invalid(
                "the call takes one message, and there is more than one",
            ));
        }
        Ok(())
    }

    fn end(&self) -> Result<(), Status> {
        match self.seen {
            0 => Err(invalid("the message is missing")),
            seen if seen < HEAD as u64 || seen < HEAD as u64 + self.length() => {
                Err(invalid("the message is cut short"))
            }
            _ => Ok(()),
        }
    }
}

fn invalid(message: &'static str) -> Status {
    status::plain(&Error::new(Code::InvalidArgument, message))
}

impl HttpBody for OneMessage {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        if this.ended {
            return Poll::Ready(None);
        }
        let fault = match ready!(Pin::new(&mut this.body).poll_frame(cx)) {
            Some(Ok(frame)) => {
                // Trailers stand at the end, also when the body does not say so afterwards.
                let seen = match frame.data_ref() {
                    Some(data) => this.see(data),
                    None => this.end(),
                };
                match seen {
                    Ok(()) => return Poll::Ready(Some(Ok(frame))),
                    Err(fault) => fault,
                }
            }
            Some(Err(error)) => status::plain(&Error::new(
                Code::InvalidArgument,
                format!("the request broke off: {error}"),
            )),
            None => match this.end() {
                Ok(()) => return Poll::Ready(None),
                Err(fault) => fault,
            },
        };
        this.ended = true;
        Poll::Ready(Some(Err(fault)))
    }
}
