use std::sync::Arc;

use a2a_kit::rest::Rest;
use a2a_kit::{Body, CallContext, Dispatch, Error, EventStream, Open, Shared};
use http_body_util::BodyExt as _;

use crate::hostile::{self, Greeter};
use crate::packages::acme::books::v1 as books;
use crate::packages::acme::shop::{self, Shop};

/// Sends a request; status and body of the answer.
async fn send(
    dispatch: impl Dispatch,
    method: &str,
    path: &str,
    body: &'static str,
) -> (u16, String) {
    let request = http::Request::builder()
        .method(method)
        .uri(path)
        .body(Body::full(body))
        .expect("a request");
    let response = Rest::new(Arc::new(dispatch), Arc::new(Open))
        .handle(request)
        .await;
    let status = response.status().as_u16();
    let body = response
        .into_body()
        .collect()
        .await
        .expect("a body")
        .to_bytes();
    (status, String::from_utf8(body.to_vec()).expect("UTF-8"))
}

struct Keeper;

impl Greeter for Keeper {
    async fn call(
        &self,
        _context: CallContext,
        request: hostile::Result,
    ) -> Result<Shared<hostile::Option>, Error> {
        Ok(Shared::new(hostile::Option::new().with_id(request.r#type)))
    }

    async fn clone(&self, _context: CallContext, _request: ()) -> Result<Shared<()>, Error> {
        Ok(Shared::new(()))
    }

    async fn service(
        &self,
        _context: CallContext,
        _request: hostile::Box,
    ) -> Result<Shared<hostile::Send>, Error> {
        Err(Error::from_spec(&hostile::NO_SUCH_THING, "gone"))
    }
}

#[tokio::test]
async fn hostile_names_are_only_names() {
    let service = || hostile::BoxGreeter_::new(Keeper);
    assert_eq!(
        send(service(), "GET", "/call/a%20b", "").await,
        (200, "{\"id\":\"a b\"}".to_owned())
    );
    assert_eq!(
        send(service(), "GET", "/clone", "").await,
        (200, "{}".to_owned())
    );
    // The boxed form hands on, and what is not written says so.
    let boxed = hostile::BoxGreeter_::new(service());
    assert_eq!(
        send(boxed, "GET", "/call/x", "").await,
        (200, "{\"id\":\"x\"}".to_owned())
    );
    let (status, text) = send(service(), "POST", "/new", "{}").await;
    assert_eq!(status, 501, "{text}");
    assert_eq!(hostile::GREETER_SERVICE.errors, [&hostile::NO_SUCH_THING]);
    assert_eq!(
        hostile::GREETER_SERVICE.operations[1].json_rpc_method,
        Some("Service")
    );
}

struct Seller;

impl Shop for Seller {
    async fn buy(
        &self,
        _context: CallContext,
        request: shop::BuyRequest,
    ) -> Result<Shared<books::Book>, Error> {
        let mut book = request.book.unwrap_or_default();
        book.id = format!("{} from {}", book.id, request.shelf);
        Ok(Shared::new(book))
    }

    async fn ask(
        &self,
        _context: CallContext,
        request: a2a_kit::v1_0::GetTaskRequest,
    ) -> Result<EventStream<a2a_kit::v1_0::Task>, Error> {
        let mut task = a2a_kit::v1_0::Task::default();
        task.id = request.id;
        Ok(Box::pin(futures_util::stream::iter([Ok(Shared::new(
            task,
        ))])))
    }
}

#[tokio::test]
async fn packages_use_each_others_messages() {
    let service = || shop::BoxShop::new(Seller);
    let (status, text) = send(
        service(),
        "POST",
        "/shelves/s1/books/b1:buy",
        "{\"title\":{\"text\":\"T\"}}",
    )
    .await;
    assert_eq!(
        (status, text.as_str()),
        (200, "{\"id\":\"b1 from s1\",\"title\":{\"text\":\"T\"}}")
    );
    let (status, text) = send(
        service(),
        "POST",
        "/shelves/s1/books/b1:buy",
        "{\"title\":{\"text\":5}}",
    )
    .await;
    assert_eq!(status, 400);
    assert!(text.contains("\"field\":\"book.title.text\""), "{text}");
    let (status, text) = send(service(), "GET", "/ask/t1", "").await;
    assert_eq!(status, 200);
    assert!(text.starts_with("data: {\"id\":\"t1\""), "{text}");
    assert_eq!(
        shop::SHOP_SERVICE.operations[2].request,
        "acme.books.v1.Book.Title"
    );
}

struct Shelf;

impl books::Library for Shelf {
    async fn list(
        &self,
        _context: CallContext,
        request: books::ListRequest,
    ) -> Result<Shared<books::ListResponse>, Error> {
        let mut answer = books::ListResponse::default();
        for tag in request.tags {
            answer.books.push(books::Book::new().with_id(tag));
        }
        Ok(Shared::new(answer))
    }
}

#[tokio::test]
async fn a_field_is_the_whole_answer() {
    let service = || books::BoxLibrary::new(Shelf);
    assert_eq!(
        send(service(), "GET", "/books", "").await,
        (200, "[]".to_owned())
    );
    let answer = send(service(), "GET", "/books?tags=a&tags=b,c&pageSize=1", "").await;
    assert_eq!(
        answer,
        (200, "[{\"id\":\"a\"},{\"id\":\"b,c\"}]".to_owned())
    );
}
