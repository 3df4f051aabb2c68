//! Whatever the client sends over HTTP+JSON, the router reads the same message of the same
//! operation from it; and what cannot arrive is refused, and nothing else is.

use std::sync::{Arc, Mutex};

use a2a_kit::client::{
    CallOptions, Outgoing, RestChannel, Transport, TransportError, TransportErrorKind,
};
use a2a_kit::rest::Rest;
use a2a_kit::types::{Duration, FieldMask, Struct, Timestamp};
use a2a_kit::v1_0::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, Part, SendMessageConfiguration,
    SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
};
use a2a_kit::{
    A2A_SERVICE, Body, BoxFuture, CallContext, Code, Dispatch, DispatchReply, Error, Input, Open,
    ServiceSpec,
};
use bytes::Bytes;
use cases::generated::lib::{
    Author, Book, CreateBookReq, FileReq, GetBookReq, KindReq, LIB_SERVICE, ListBooksReq,
    MoveBookReq, NestReq, NumReq, SearchReq, TagsReq, UpdateBookReq, search_req,
};
use proptest::prelude::*;

/// Sends a message on its way. `None` when it was refused, else what has arrived, as protobuf.
fn send(service: &'static ServiceSpec, rpc: &str, message: &dyn Outgoing) -> Option<Bytes> {
    let index = service
        .operations
        .iter()
        .position(|operation| operation.name == rpc)
        .expect("an operation");
    let channel = RestChannel::new("http://agent.example/base", Nowhere).expect("an address");
    let request = match channel.request(service, index, &CallContext::default(), message) {
        Ok(request) => request,
        Err(error) => {
            assert_eq!(error.code(), Code::InvalidArgument, "{error}");
            return None;
        }
    };
    let target = request.uri().path_and_query().expect("a target").as_str();
    let target = target.strip_prefix("/base").expect("below the address");
    let (head, body) = request.clone().into_parts();
    let mut arriving = http::Request::builder()
        .method(head.method)
        .uri(target)
        .body(Body::full(body))
        .expect("a request");
    *arriving.headers_mut() = head.headers;
    let reached = Arc::new(Reached {
        service,
        last: Mutex::default(),
    });
    let rest = Rest::new(Arc::clone(&reached) as Arc<dyn Dispatch>, Arc::new(Open));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let status = runtime.block_on(rest.handle(arriving)).status();
    let last = reached.last.lock().expect("no panic").take();
    let Some((operation, arrived)) = last else {
        panic!("{rpc}: {target} is answered with {status}");
    };
    assert_eq!(operation, rpc, "{target}");
    Some(arrived)
}

#[derive(Debug)]
struct Nowhere;

impl Transport for Nowhere {
    fn send(
        &self,
        _request: http::Request<Bytes>,
        _options: CallOptions,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let error = TransportError::new(TransportErrorKind::Connect, "there is no network here");
        Box::pin(std::future::ready(Err(error)))
    }

    fn sleep(&self, _duration: std::time::Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Notes what reaches it.
struct Reached {
    service: &'static ServiceSpec,
    last: Mutex<Option<(&'static str, Bytes)>>,
}

impl Dispatch for Reached {
    fn service(&self) -> &'static ServiceSpec {
        self.service
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        _context: CallContext,
        input: Input<'a>,
    ) -> BoxFuture<'a, Result<DispatchReply, Error>> {
        let operation = &self.service.operations[operation];
        let result = (operation.decode_request)(input).and_then(|message| {
            *self.last.lock().expect("no panic") = Some((operation.name, message.proto()?));
            Err(Error::new(Code::Aborted, "noted"))
        });
        Box::pin(std::future::ready(result))
    }
}

/// The message arrives as it is, or is refused, as `refused` says.
fn check(
    service: &'static ServiceSpec,
    rpc: &str,
    message: &dyn Outgoing,
    refused: bool,
) -> Result<(), TestCaseError> {
    let arrived = send(service, rpc, message);
    prop_assert_eq!(arrived.is_none(), refused, "refused or not");
    if let Some(arrived) = arrived {
        prop_assert_eq!(arrived, message.proto().expect("a form in protobuf"));
    }
    Ok(())
}

/// Texts, most of them with something in them that a path or a query must not take literally.
fn text() -> impl Strategy<Value = String> {
    const ODD: [&str; 24] = [
        "", ".", "..", "...", "/", "//", "a/b", "a/../b", ":", "a:cancel", "%", "%2F", "%2e%2e",
        " ", "+", "&", "=", "#", "?", "\\", "任务", "😀", "\0\t\r\n", "tasks",
    ];
    let piece = prop_oneof![
        2 => proptest::sample::select(&ODD[..]).prop_map(str::to_owned),
        2 => "[a-z0-9]{1,4}",
        1 => any::<char>().prop_map(|letter| letter.to_string()),
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn is_dots(text: &str) -> bool {
    matches!(text, "." | "..")
}

fn author() -> impl Strategy<Value = Author> {
    let leaf = (text(), proptest::collection::vec(text(), 0..3)).prop_map(|(name, tags)| {
        let mut author = Author::default();
        (author.full_name, author.tags) = (name, tags);
        author
    });
    leaf.prop_recursive(3, 8, 1, |mentor| {
        (
            text(),
            proptest::option::of(mentor),
            proptest::collection::vec(text(), 0..2),
        )
            .prop_map(|(name, mentor, tags)| {
                let mut author = Author::default();
                (author.full_name, author.tags) = (name, tags);
                author.mentor = mentor.map(Box::new);
                author
            })
    })
}

/// An author in whom, or in whose mentors, nothing is set: no query tells that they are there.
fn has_nothing(author: &Author) -> bool {
    let mentor = author.mentor.as_deref();
    mentor.is_some_and(has_nothing)
        || (mentor.is_none() && author.full_name.is_empty() && author.tags.is_empty())
}

fn seconds() -> std::ops::RangeInclusive<i64> {
    -62_135_596_800..=253_402_300_799
}

prop_compose! {
    fn plain_search()(
        q in text(), i in any::<i32>(), l in any::<i64>(), u in any::<u32>(), b in any::<bool>(),
        d in any::<f64>().prop_filter("there is one text for all of them", |d| !d.is_nan() || d.to_bits() == f64::NAN.to_bits()),
        by in proptest::collection::vec(any::<u8>(), 0..6), kind in -1..5,
        tag in proptest::collection::vec(text(), 0..4), kinds in proptest::collection::vec(-2..5, 0..3),
        nums in proptest::collection::vec(any::<i32>(), 0..3),
    ) -> SearchReq {
        let mut search = SearchReq::default();
        (search.q, search.i, search.l, search.u, search.b) = (q, i, l, u, b);
        (search.d, search.by, search.kind) = (d, by.into(), kind);
        (search.tag, search.kinds, search.nums) = (tag, kinds, nums);
        search
    }
}

prop_compose! {
    fn search()(
        plain in plain_search(), after in proptest::option::of((seconds(), 0..1_000_000_000)),
        within in proptest::option::of((0..=315_576_000_000_i64, 0..1_000_000_000)),
        mask in proptest::option::of(proptest::collection::vec("[a-z]{1,5}(_[a-z]{1,3})?(\\.[a-z]{1,3})?", 0..3)),
        wi in any::<Option<i32>>(), ws in proptest::option::of(text()), wb in any::<Option<bool>>(),
        opt in any::<Option<i32>>(), author in proptest::option::of(author()),
        pick in proptest::option::of(prop_oneof![text().prop_map(search_req::Pick::ByName), any::<i32>().prop_map(search_req::Pick::ByNum)]),
        odd in text(),
    ) -> SearchReq {
        let mut search = plain;
        search.after = after.map(|(seconds, nanos)| Timestamp::new(seconds, nanos));
        search.within = within.map(|(seconds, nanos)| Duration::new(seconds, nanos));
        search.read_mask = mask.map(FieldMask::new);
        (search.wi, search.ws, search.wb, search.opt) = (wi, ws, wb, opt);
        (search.author, search.pick, search.odd_name) = (author, pick, odd);
        search
    }
}

/// Names as the templates want them, with anything in their parts, and others.
fn name(pattern: &'static [&'static str]) -> impl Strategy<Value = String> {
    let part = |literal: &'static str| match literal {
        "*" => text().boxed(),
        literal => Just(literal.to_owned()).boxed(),
    };
    let fitting: Vec<_> = pattern.iter().map(|literal| part(literal)).collect();
    prop_oneof![4 => fitting.prop_map(|parts| parts.join("/")), 1 => text()]
}

/// What a name must be to be sent: no other parts than those of the pattern, none of them empty or
/// dots. What stands behind the last part (a verb) makes its dots harmless.
fn fits(name: &str, pattern: &[&str], has_verb: bool) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let last = parts.len() - 1;
    parts.len() == pattern.len()
        && parts
            .iter()
            .zip(pattern)
            .enumerate()
            .all(|(index, (part, literal))| match *literal {
                "*" => !part.is_empty() && (!is_dots(part) || (has_verb && index == last)),
                literal => part == &literal,
            })
}

const SHELF: &[&str] = &["shelves", "*"];
const BOOK: &[&str] = &["shelves", "*", "books", "*"];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn tasks_are_found_by_any_id(tenant in text(), id in text(), history in any::<Option<i32>>()) {
        let dots = is_dots(&tenant);
        let mut get = GetTaskRequest::new().with_tenant(tenant.clone()).with_id(id.clone());
        get.history_length = history;
        check(&A2A_SERVICE, "GetTask", &get, id.is_empty() || dots || is_dots(&id))?;
        let subscribe = SubscribeToTaskRequest::new().with_tenant(tenant.clone()).with_id(id.clone());
        check(&A2A_SERVICE, "SubscribeToTask", &subscribe, id.is_empty() || dots)?;
        let cancel = CancelTaskRequest::new().with_tenant(tenant).with_id(id.clone());
        check(&A2A_SERVICE, "CancelTask", &cancel, id.is_empty() || dots)?;
    }

    #[test]
    fn messages_keep_what_they_hold(tenant in text(), texts in proptest::collection::vec(text(), 0..3), key in text(), history in any::<Option<i32>>()) {
        let mut message = Message::new().with_message_id(key.clone()).with_parts(texts.iter().map(Part::text));
        message.metadata = Some(Struct([(key, serde_json::json!({"tenant": texts}))].into_iter().collect()));
        let mut send = SendMessageRequest::new().with_tenant(tenant.clone()).with_message(message);
        send.configuration = Some(SendMessageConfiguration::default());
        send.configuration.get_or_insert_default().history_length = history;
        check(&A2A_SERVICE, "SendMessage", &send, is_dots(&tenant))?;
        check(&A2A_SERVICE, "SendStreamingMessage", &send, is_dots(&tenant))?;
    }

    #[test]
    fn lists_are_asked_for_as_wanted(
        tenant in text(), context in text(), token in text(), status in -1..12, size in any::<Option<i32>>(),
        after in proptest::option::of((seconds(), 0..1_000_000_000)), artifacts in any::<Option<bool>>(),
    ) {
        let mut list = ListTasksRequest::new().with_tenant(tenant.clone()).with_context_id(context).with_page_token(token);
        (list.status, list.page_size, list.include_artifacts) = (status, size, artifacts);
        list.status_timestamp_after = after.map(|(seconds, nanos)| Timestamp::new(seconds, nanos));
        // `GET /tasks/tasks` is another operation.
        check(&A2A_SERVICE, "ListTasks", &list, is_dots(&tenant) || tenant == "tasks")?;
    }

    #[test]
    fn configs_are_in_body_and_path(tenant in text(), task in text(), id in text(), url in text()) {
        let config = TaskPushNotificationConfig::new().with_tenant(tenant.clone()).with_task_id(task.clone()).with_id(id).with_url(url);
        check(&A2A_SERVICE, "CreateTaskPushNotificationConfig", &config, task.is_empty() || is_dots(&task) || is_dots(&tenant))?;
    }

    #[test]
    fn names_of_several_parts(book in name(BOOK), shelf in name(SHELF), rev in any::<i32>(), other in text()) {
        let mut get = GetBookReq::default();
        (get.name, get.rev) = (book.clone(), rev);
        check(&LIB_SERVICE, "GetBook", &get, !fits(&book, BOOK, false))?;
        let mut moved = MoveBookReq::default();
        (moved.name, moved.other_shelf) = (book.clone(), other.clone());
        check(&LIB_SERVICE, "MoveBook", &moved, !fits(&book, BOOK, true))?;
        let mut update = UpdateBookReq::default();
        update.book.get_or_insert_default().name.clone_from(&book);
        update.book.get_or_insert_default().title.clone_from(&other);
        check(&LIB_SERVICE, "UpdateBook", &update, !fits(&book, BOOK, false))?;
        let mut create = CreateBookReq::default();
        (create.parent, create.book_id) = (shelf.clone(), other.clone());
        check(&LIB_SERVICE, "CreateBook", &create, !fits(&shelf, SHELF, false))?;
        create.book = Some(Book::default());
        check(&LIB_SERVICE, "CreateBook", &create, !fits(&shelf, SHELF, false))?;
        // What does not fit into the path of one route is a parameter of the other; but dots in a
        // name that fits are not moved there.
        let mut list = ListBooksReq::default();
        (list.parent, list.page_token) = (shelf.clone(), other);
        let dots = shelf.strip_prefix("shelves/").is_some_and(is_dots);
        check(&LIB_SERVICE, "ListBooks", &list, dots)?;
    }

    #[test]
    fn paths_of_any_length(path in text(), more in proptest::collection::vec("[a-z:.%]{0,3}", 0..70), depth in any::<i32>()) {
        let path = more.iter().fold(path, |path, part| format!("{path}/{part}"));
        let mut file = FileReq::default();
        (file.path, file.depth) = (path.clone(), depth);
        let parts: Vec<&str> = path.split('/').collect();
        let dots = |parts: &[&str]| parts.iter().any(|part| is_dots(part));
        let wrong = parts.iter().any(|part| part.is_empty()) || parts.len() > 63;
        check(&LIB_SERVICE, "ReadFile", &file, wrong || dots(&parts))?;
        check(&LIB_SERVICE, "StatFile", &file, wrong || dots(&parts[..parts.len() - 1]))?;
        // One part, whatever is in it.
        check(&LIB_SERVICE, "SubVerb", &file, path.is_empty())?;
        check(&LIB_SERVICE, "WildMethod", &file, path.is_empty() || is_dots(&path))?;
        check(&LIB_SERVICE, "AnyTail", &file, path.is_empty() || is_dots(&path))?;
    }

    #[test]
    fn numbers_and_enums_in_paths(num in any::<i64>(), kind in any::<i32>()) {
        let mut number = NumReq::default();
        number.num = num;
        check(&LIB_SERVICE, "GetNum", &number, false)?;
        let mut of_kind = KindReq::default();
        of_kind.kind = kind;
        check(&LIB_SERVICE, "GetKind", &of_kind, false)?;
    }

    #[test]
    fn lists_as_bodies(id in text(), tags in proptest::collection::vec(text(), 0..4), dry_run in any::<bool>()) {
        let mut put = TagsReq::default();
        (put.id, put.tags, put.dry_run) = (id.clone(), tags, dry_run);
        check(&LIB_SERVICE, "PutTags", &put, id.is_empty() || is_dots(&id))?;
    }

    #[test]
    fn queries_of_every_type(search in search(), label in proptest::option::of(text()), authors in proptest::collection::vec(author(), 0..2)) {
        let mut search = search;
        let nothing = search.author.as_ref().is_some_and(has_nothing);
        check(&LIB_SERVICE, "Search", &search, nothing)?;
        search.labels.extend(label.into_iter().map(|label| (label.clone(), label)));
        search.authors = authors;
        let no_text = !search.labels.is_empty() || !search.authors.is_empty();
        check(&LIB_SERVICE, "Search", &search, nothing || no_text)?;
    }

    #[test]
    fn a_part_of_a_message_in_the_path(author in author(), note in text()) {
        let name = author.full_name.clone();
        let nothing = author.mentor.as_deref().is_some_and(has_nothing);
        let mut nest = NestReq::default();
        (nest.author, nest.note) = (Some(author), note);
        check(&LIB_SERVICE, "Nest", &nest, name.is_empty() || is_dots(&name) || nothing)?;
    }
}
