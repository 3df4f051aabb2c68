//! Lists that come in pages.
//!
//! Comes in: a call, and how a page of it is asked for. Goes out: the items of all pages, each of
//! which is asked for when the one before has been read.

use std::pin::Pin;

use futures_core::Stream;
use futures_util::stream::try_unfold;

use super::Call;
use crate::client::call::Client;
use crate::context::CallContext;
use crate::error::Error;

/// The items of all pages of a list.
pub type Items<T> = Pin<Box<dyn Stream<Item = Result<T, Error>> + Send>>;

/// How many pages in a row may hold nothing.
const MOST_EMPTY_PAGES: u32 = 1000;

/// Where a list stands.
struct Pages<R, T> {
    call: Call<R>,
    context: Option<CallContext>,
    /// The next page; `None` after the last one.
    token: Option<String>,
    items: std::vec::IntoIter<T>,
    /// How many of the last pages held nothing.
    empty: u32,
}

pub(super) fn pages<R, T, F, Fut>(call: Call<R>, token: String, ask: F) -> Items<T>
where
    R: Clone + Send + 'static,
    T: Send + 'static,
    F: Fn(Client, CallContext, R, String) -> Fut + Copy + Send + 'static,
    Fut: Future<Output = Result<(Vec<T>, String, R), Error>> + Send,
{
    let start = Pages {
        call,
        context: None,
        token: Some(token),
        items: Vec::new().into_iter(),
        empty: 0,
    };
    Box::pin(try_unfold(start, move |mut pages| async move {
        loop {
            if let Some(item) = pages.items.next() {
                return Ok(Some((item, pages)));
            }
            let Some(token) = pages.token.take() else {
                return Ok(None);
            };
            let context = match &pages.context {
                Some(context) => context.clone(),
                None => pages.context.insert(pages.call.context()?).clone(),
            };
            let (items, next, request) = ask(
                pages.call.client.clone(),
                context,
                pages.call.request,
                token.clone(),
            )
            .await?;
            pages.call.request = request;
            pages.empty = if items.is_empty() { pages.empty + 1 } else { 0 };
            if pages.empty > MOST_EMPTY_PAGES {
                return Err(Error::invalid_agent_response(format!(
                    "the agent has sent {MOST_EMPTY_PAGES} pages in a row that hold nothing, and says that there are more"
                )));
            }
            pages.items = items.into_iter();
            if !next.is_empty() {
                if next == token {
                    return Err(Error::invalid_agent_response(
                        "the agent's next page is the one that it has just sent",
                    ));
                }
                pages.token = Some(next);
            }
        }
    }))
}
