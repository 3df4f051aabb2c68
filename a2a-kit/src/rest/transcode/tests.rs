use bytes::Bytes;

use a2a_wire::TextWriteError;

use super::*;
use crate::service::{Route, Segment, ServiceSpec};

/// A request by hand, so that these tests depend on no generator.
#[derive(Clone, PartialEq, prost::Message)]
struct Move {
    #[prost(string, tag = "1")]
    shelf_name: String,
    #[prost(int32, tag = "2")]
    count: i32,
    #[prost(string, repeated, tag = "3")]
    tags: Vec<String>,
    #[prost(message, optional, tag = "4")]
    the_book: Option<Book>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Book {
    #[prost(string, tag = "1")]
    full_name: String,
    #[prost(string, tag = "2")]
    title: String,
}

fn set(
    field: &mut String,
    path: &[&'static str],
    text: &str,
    rule: Rule,
) -> Result<Bound, BindErrorKind> {
    if rule == Rule::Agree && !field.is_empty() && field != text {
        return Err(BindErrorKind::Conflict);
    }
    text.clone_into(field);
    Ok(Bound {
        path: path.to_vec(),
        repeated: false,
    })
}

impl WireMessage for Move {
    const NAME: &'static str = "test.Move";

    fn shape() -> &'static a2a_wire::protobuf::Shape {
        a2a_wire::protobuf::nothing()
    }

    /// Takes the whole text for the shelf: reading JSON is tested elsewhere.
    fn read_json(text: &[u8]) -> Result<Self, json::Error> {
        Ok(shelf(std::str::from_utf8(text).expect("UTF-8")))
    }

    fn write_json(&self, _out: &mut Vec<u8>) -> Result<(), json::Error> {
        unreachable!("requests are only read")
    }

    fn check(&self, _found: &mut a2a_wire::__codegen::Violations) {}

    fn bind_text(
        &mut self,
        path: &str,
        text: Cow<'_, str>,
        rule: Rule,
    ) -> Result<Bound, BindError> {
        let result = match path {
            "shelf_name" | "shelfName" => set(&mut self.shelf_name, &["shelf_name"], &text, rule),
            "count" => match text.parse() {
                Ok(count) if rule == Rule::Agree && self.count != 0 && self.count != count => {
                    Err(BindErrorKind::Conflict)
                }
                Ok(count) => {
                    self.count = count;
                    Ok(Bound {
                        path: vec!["count"],
                        repeated: false,
                    })
                }
                Err(_) => Err(BindErrorKind::Invalid {
                    expected: "a whole number".into(),
                }),
            },
            "tags" => {
                self.tags.push(text.into_owned());
                Ok(Bound {
                    path: vec!["tags"],
                    repeated: true,
                })
            }
            "the_book" | "theBook" => Err(BindErrorKind::NotAddressable("it is a message")),
            "the_book.full_name" | "theBook.fullName" | "the_book.fullName"
            | "theBook.full_name" => set(
                &mut self.the_book.get_or_insert_default().full_name,
                &["the_book", "full_name"],
                &text,
                rule,
            ),
            "the_book.title" | "theBook.title" => set(
                &mut self.the_book.get_or_insert_default().title,
                &["the_book", "title"],
                &text,
                rule,
            ),
            _ => Err(BindErrorKind::UnknownField),
        };
        result.map_err(|kind| BindError {
            path: path.to_owned(),
            kind,
        })
    }

    fn text_of(&self, _path: &str) -> Option<Cow<'_, str>> {
        unreachable!("requests are only read")
    }

    fn write_query(
        &self,
        _without: &[&str],
        _out: &mut dyn FnMut(&str, Cow<'_, str>),
    ) -> Result<(), TextWriteError> {
        unreachable!("requests are only read")
    }

    fn read_body_field(&mut self, field: &str, text: &[u8]) -> Result<(), json::Error> {
        assert_eq!(field, "the_book");
        let title = String::from_utf8(text.to_vec()).expect("UTF-8");
        self.the_book = Some(Book {
            title,
            full_name: "in the body".to_owned(),
        });
        Ok(())
    }

    fn write_body_field(&self, _field: &str, _out: &mut Vec<u8>) -> Result<(), json::Error> {
        unreachable!("requests are only read")
    }
}

const SHELF: Capture = Capture {
    field: "shelf_name",
    json_name: "shelfName",
    start: 1,
    end: 2,
    multi: false,
};
const COUNT: Capture = Capture {
    field: "count",
    json_name: "count",
    start: 1,
    end: 2,
    multi: false,
};
const BOOK: Capture = Capture {
    field: "the_book.full_name",
    json_name: "theBook.fullName",
    start: 1,
    end: 3,
    multi: true,
};
const THE_BOOK: RouteBody = RouteBody::Field {
    proto_name: "the_book",
    json_name: "theBook",
};

fn service(conflicts: Rule) -> &'static ServiceSpec {
    Box::leak(Box::new(ServiceSpec {
        name: "test.Library",
        operations: &[],
        routes: &[],
        version: None,
        media_type: "application/json",
        conflicts,
        errors: &[],
        error_style: crate::error::ErrorStyle::Status,
        extensions_header: None,
    }))
}

fn route(capture: Capture, body: RouteBody, null_body: bool) -> &'static Route {
    let segments: &[Segment] = match capture.end {
        3 => &[
            Segment::Literal("x"),
            Segment::Literal("books"),
            Segment::Single,
        ],
        _ => &[Segment::Literal("x"), Segment::Single],
    };
    Box::leak(Box::new(Route {
        method: "POST",
        segments,
        verb: None,
        captures: Box::leak(Box::new([capture])),
        body,
        null_body,
        response_body: None,
        operation: 0,
        template: "/x/…",
    }))
}

/// What is read, or the field and the description of the fault.
fn read_one(
    rule: Rule,
    route: &'static Route,
    path: &str,
    query: &str,
    body: &'static str,
) -> Result<Move, String> {
    let input = HttpInput {
        service: service(rule),
        route,
        path,
        query,
        body: Bytes::from_static(body.as_bytes()),
    };
    read::<Move>(&input).map_err(|error| {
        assert_eq!(error.http_status(), 400);
        error.message().to_owned()
    })
}

fn shelf(name: &str) -> Move {
    Move {
        shelf_name: name.to_owned(),
        ..Move::default()
    }
}

#[test]
fn the_path_stands_against_body_and_query() {
    let body = route(SHELF, RouteBody::All, false);
    let query = route(SHELF, RouteBody::None, false);
    let count = route(COUNT, RouteBody::None, false);
    let conflict = |place: &str, field: &str| {
        Err(format!(
            "{field}: {place} and another part of the request give it different values; give it once"
        ))
    };
    let counted = |count| {
        Ok(Move {
            count,
            ..Move::default()
        })
    };
    let (agree, overwrite) = (Rule::Agree, Rule::Overwrite);
    // Rule, route, path, query, body, what is read.
    let cases = [
        (agree, body, "/x/s1", "", "", Ok(shelf("s1"))),
        (agree, body, "/x/s1", "", "s1", Ok(shelf("s1"))),
        (
            agree,
            body,
            "/x/s1",
            "",
            "other",
            conflict("the path", "shelfName"),
        ),
        (overwrite, body, "/x/s1", "", "other", Ok(shelf("s1"))),
        // Everything that is not in the path is in the body.
        (
            overwrite,
            body,
            "/x/s1",
            "count=7&shelfName=other&%zz",
            "",
            Ok(shelf("s1")),
        ),
        (agree, query, "/x/s1", "shelf_name=s1", "", Ok(shelf("s1"))),
        (
            agree,
            query,
            "/x/s1",
            "shelf_name=other",
            "",
            conflict("the query", "shelf_name"),
        ),
        (
            agree,
            query,
            "/x/s1",
            "shelfName=",
            "",
            conflict("the query", "shelfName"),
        ),
        (
            overwrite,
            query,
            "/x/s1",
            "shelfName=other",
            "",
            Ok(shelf("s1")),
        ),
        (
            overwrite,
            query,
            "/x/s1",
            "shelf_name=other&shelfName=another",
            "",
            Ok(shelf("s1")),
        ),
        // A default in the path is a value too.
        (
            agree,
            count,
            "/x/0",
            "count=5",
            "",
            conflict("the query", "count"),
        ),
        (
            agree,
            count,
            "/x/5",
            "count=0",
            "",
            conflict("the query", "count"),
        ),
        (
            agree,
            count,
            "/x/5",
            "count=+5",
            "",
            Err("count: the value in the query is not a whole number".to_owned()),
        ),
        (agree, count, "/x/5", "count=05", "", counted(5)),
        (overwrite, count, "/x/0", "count=5", "", counted(0)),
        // A body that no field stands in is ignored.
        (agree, query, "/x/s1", "", "other", Ok(shelf("s1"))),
    ];
    for (rule, route, path, query, body, expected) in cases {
        assert_eq!(
            read_one(rule, route, path, query, body),
            expected,
            "{rule:?} {path}?{query} {body:?}"
        );
    }
}

#[test]
fn a_field_is_the_body_and_the_path_reaches_into_it() {
    let route = route(BOOK, THE_BOOK, false);
    let book = |full_name: &str, title: &str| {
        Some(Book {
            full_name: full_name.to_owned(),
            title: title.to_owned(),
        })
    };
    let whole = |the_book| {
        Ok(Move {
            the_book,
            ..Move::default()
        })
    };
    let cases = [
        ("/x/books/b1", "", "Title", whole(book("books/b1", "Title"))),
        ("/x/books/b1", "", "", whole(book("books/b1", ""))),
        ("/x/books/b%2f1%20", "", "", whole(book("books/b%2f1 ", ""))),
        // Nothing in the body's field is in the query.
        (
            "/x/books/b1",
            "theBook.title=no&the_book.fullName=no&theBook=no",
            "Title",
            whole(book("books/b1", "Title")),
        ),
        (
            "/x/books/b1",
            "count=3&theBookmark=1",
            "T",
            Ok(Move {
                count: 3,
                the_book: book("books/b1", "T"),
                ..Move::default()
            }),
        ),
    ];
    for (path, query, body, expected) in cases {
        assert_eq!(
            read_one(Rule::Overwrite, route, path, query, body),
            expected,
            "{path}?{query} {body:?}"
        );
    }
}

#[test]
fn null_stands_for_an_empty_message_only_where_it_may() {
    let may = route(SHELF, RouteBody::All, true);
    assert_eq!(
        read_one(Rule::Agree, may, "/x/s1", "", " null\n"),
        Ok(shelf("s1"))
    );
    let may_not = route(SHELF, RouteBody::All, false);
    // The reader of the message gets it, and takes it for a name here.
    assert!(read_one(Rule::Agree, may_not, "/x/s1", "", "null").is_err());
}

#[test]
fn queries_are_read_strictly() {
    let route = route(SHELF, RouteBody::None, false);
    let read = |query: &str| read_one(Rule::Agree, route, "/x/s1", query, "");
    let with = |change: fn(&mut Move)| {
        let mut message = shelf("s1");
        change(&mut message);
        Ok(message)
    };
    let fault = |text: &str| Err(text.to_owned());
    let cases = [
        ("count=5", with(|message| message.count = 5)),
        ("&&count=5&", with(|message| message.count = 5)),
        ("c%6Funt=%35", with(|message| message.count = 5)),
        (
            "tags=a&tags=b,c&tags=&tags",
            with(|message| message.tags = ["a", "b,c", "", ""].map(str::to_owned).to_vec()),
        ),
        (
            "tags=a+b%2Bc%26=",
            with(|message| message.tags = vec!["a b+c&=".to_owned()]),
        ),
        (
            "theBook.full_name=x",
            with(|message| {
                message.the_book = Some(Book {
                    full_name: "x".to_owned(),
                    title: String::new(),
                })
            }),
        ),
        (
            "unknown=1&the_bok.title=2&key=%2F&=5&labels[a]=x",
            with(|_| {}),
        ),
        (
            "A2A-Version=1.0&a2a-extensions=x&a2a%2Dversion=2",
            with(|_| {}),
        ),
        (
            "count=",
            fault("count: the value in the query is not a whole number"),
        ),
        (
            "count=1&count=1",
            fault("count: is given twice in the query, but takes one value"),
        ),
        (
            "theBook.title=a&the_book.title=a",
            fault("the_book.title: is given twice in the query, but takes one value"),
        ),
        (
            "count=1&count=2",
            fault(
                "count: the query and another part of the request give it different values; give it once",
            ),
        ),
        (
            "the_book=x",
            fault("the_book: cannot be set from the query: it is a message"),
        ),
        (
            "tags=%zz",
            fault(
                "tags: in the query: `%` must be followed by two hexadecimal digits; a percent sign itself is written `%25`",
            ),
        ),
        (
            "tags=%FF",
            fault("tags: in the query: the percent-encoded bytes are not UTF-8"),
        ),
    ];
    for (query, expected) in cases {
        assert_eq!(read(query), expected, "{query}");
    }
    assert!(read(&"tags=a&".repeat(MAX_PARAMETERS)).is_ok());
    assert_eq!(
        read(&"tags=a&".repeat(MAX_PARAMETERS + 1)),
        fault("the query has more than 1000 parameters")
    );
}

#[test]
fn faults_of_the_path_name_the_field() {
    let shelf = route(SHELF, RouteBody::None, false);
    let count = route(COUNT, RouteBody::None, false);
    let cases = [
        (
            shelf,
            "/x/a%zz",
            "shelfName: in the path: `%` must be followed by two hexadecimal digits; a percent sign itself is written `%25`",
        ),
        (
            shelf,
            "/x/%FF",
            "shelfName: in the path: the percent-encoded bytes are not UTF-8",
        ),
        (
            count,
            "/x/abc",
            "count: the value in the path is not a whole number",
        ),
    ];
    for (route, path, expected) in cases {
        assert_eq!(
            read_one(Rule::Agree, route, path, "", ""),
            Err(expected.to_owned()),
            "{path}"
        );
    }
    assert_eq!(
        read_one(Rule::Agree, shelf, "/x/a%2Fb%00", "", ""),
        Ok(super::tests::shelf("a/b\0"))
    );
}
