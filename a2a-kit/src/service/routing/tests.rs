use super::*;
use crate::service::RouteBody;

/// A table of routes, written as `METHOD template` in the order of the generator. A variable is
/// `{name}` or `{name=pattern}`.
fn table(lines: &[&'static str]) -> &'static [Route] {
    let routes = lines
        .iter()
        .enumerate()
        .map(|(operation, line)| route(operation, line));
    routes.collect::<Vec<_>>().leak()
}

fn route(operation: usize, line: &'static str) -> Route {
    let (method, template) = line.split_once(' ').expect("a method");
    let (mut segments, mut captures, mut verb) = (Vec::new(), Vec::new(), None);
    let mut rest = &template[1..];
    while !rest.is_empty() {
        let cut = if rest.starts_with('{') {
            rest.find('}').expect("a brace") + 1
        } else {
            rest.find(['/', ':']).unwrap_or(rest.len())
        };
        let (piece, tail) = rest.split_at(cut);
        let start = segments.len();
        match piece.strip_prefix('{') {
            Some(variable) => {
                let (field, pattern) = variable[..variable.len() - 1]
                    .split_once('=')
                    .unwrap_or((&variable[..variable.len() - 1], "*"));
                segments.extend(pattern.split('/').map(segment));
                captures.push(Capture {
                    field,
                    json_name: field,
                    start,
                    end: segments.len(),
                    multi: pattern != "*",
                });
            }
            None => segments.push(segment(piece)),
        }
        if let Some(name) = tail.strip_prefix(':') {
            verb = Some(name);
            break;
        }
        rest = tail.strip_prefix('/').unwrap_or_default();
    }
    Route {
        method,
        segments: segments.leak(),
        verb,
        captures: captures.leak(),
        body: RouteBody::None,
        null_body: false,
        response_body: None,
        operation,
        template,
    }
}

fn segment(text: &'static str) -> Segment {
    match text {
        "*" => Segment::Single,
        "**" => Segment::Multi,
        literal => Segment::Literal(literal),
    }
}

/// What a request leads to, in one line: `template field=raw …`, the methods of a 405, or `404`.
fn answer(routes: &'static [Route], method: &str, path: &str) -> String {
    match find(routes, method, path) {
        Outcome::Found(route) => {
            route
                .captures
                .iter()
                .fold(route.template.to_owned(), |line, capture| {
                    let raw = captured(route, capture, path).expect("the path of this route");
                    format!("{line} {}={raw}", capture.field)
                })
        }
        Outcome::WrongMethod(methods) => format!("405 {methods}"),
        Outcome::NotFound => "404".to_owned(),
    }
}

fn check(routes: &'static [Route], cases: &[(&str, &str)]) {
    for (request, expected) in cases {
        let (method, path) = request.split_once(' ').expect("a method");
        assert_eq!(answer(routes, method, path), *expected, "{request}");
    }
}

#[test]
fn the_routes_of_a2a() {
    check(
        crate::A2A_SERVICE.routes,
        &[
            ("POST /message:send", "/message:send"),
            (
                "POST /acme/message:send",
                "/{tenant}/message:send tenant=acme",
            ),
            ("POST /message:stream", "/message:stream"),
            (
                "POST /acme/message:stream",
                "/{tenant}/message:stream tenant=acme",
            ),
            ("GET /tasks/t1", "/tasks/{id=*} id=t1"),
            ("HEAD /tasks/t1", "/tasks/{id=*} id=t1"),
            (
                "GET /acme/tasks/t1",
                "/{tenant}/tasks/{id=*} tenant=acme id=t1",
            ),
            ("GET /tasks", "/tasks"),
            ("GET /acme/tasks", "/{tenant}/tasks tenant=acme"),
            ("POST /tasks/t1:cancel", "/tasks/{id=*}:cancel id=t1"),
            (
                "POST /acme/tasks/t1:cancel",
                "/{tenant}/tasks/{id=*}:cancel tenant=acme id=t1",
            ),
            ("GET /tasks/t1:subscribe", "/tasks/{id=*}:subscribe id=t1"),
            ("POST /tasks/t1:subscribe", "/tasks/{id=*}:subscribe id=t1"),
            (
                "GET /acme/tasks/t1:subscribe",
                "/{tenant}/tasks/{id=*}:subscribe tenant=acme id=t1",
            ),
            (
                "POST /acme/tasks/t1:subscribe",
                "/{tenant}/tasks/{id=*}:subscribe tenant=acme id=t1",
            ),
            (
                "POST /tasks/t1/pushNotificationConfigs",
                "/tasks/{task_id=*}/pushNotificationConfigs task_id=t1",
            ),
            (
                "POST /acme/tasks/t1/pushNotificationConfigs",
                "/{tenant}/tasks/{task_id=*}/pushNotificationConfigs tenant=acme task_id=t1",
            ),
            (
                "GET /tasks/t1/pushNotificationConfigs",
                "/tasks/{task_id=*}/pushNotificationConfigs task_id=t1",
            ),
            (
                "GET /acme/tasks/t1/pushNotificationConfigs",
                "/{tenant}/tasks/{task_id=*}/pushNotificationConfigs tenant=acme task_id=t1",
            ),
            (
                "GET /tasks/t1/pushNotificationConfigs/c%2F1",
                "/tasks/{task_id=*}/pushNotificationConfigs/{id=*} task_id=t1 id=c%2F1",
            ),
            (
                "DELETE /acme/tasks/t1/pushNotificationConfigs/c1",
                "/{tenant}/tasks/{task_id=*}/pushNotificationConfigs/{id=*} tenant=acme task_id=t1 id=c1",
            ),
            ("GET /extendedAgentCard", "/extendedAgentCard"),
            (
                "GET /acme/extendedAgentCard",
                "/{tenant}/extendedAgentCard tenant=acme",
            ),
            // A colon belongs to the id unless a verb of the resource follows it.
            (
                "POST /tasks/urn:x:7:cancel",
                "/tasks/{id=*}:cancel id=urn:x:7",
            ),
            (
                "POST /tasks/t1:cancel:cancel",
                "/tasks/{id=*}:cancel id=t1:cancel",
            ),
            (
                "POST /tasks/cancel:cancel",
                "/tasks/{id=*}:cancel id=cancel",
            ),
            ("GET /tasks/urn:uuid:7", "/tasks/{id=*} id=urn:uuid:7"),
            ("GET /tasks/t1:frobnicate", "/tasks/{id=*} id=t1:frobnicate"),
            ("GET /tasks/t1:Cancel", "/tasks/{id=*} id=t1:Cancel"),
            ("GET /tasks/t1:", "/tasks/{id=*} id=t1:"),
            ("GET /tasks/:subscribe", "/tasks/{id=*} id=:subscribe"),
            ("GET /tasks/t1:cancel", "405 POST"),
            ("PUT /tasks/t1:subscribe", "405 GET, HEAD, POST"),
            ("POST /tasks/:cancel", "405 GET, HEAD"),
            // An encoded colon is data.
            ("POST /tasks/t1%3Acancel", "405 GET, HEAD"),
            (
                "GET /tasks/t1%3Asubscribe",
                "/tasks/{id=*} id=t1%3Asubscribe",
            ),
            // Literals before variables, with backtracking.
            ("GET /tasks/tasks", "/tasks/{id=*} id=tasks"),
            (
                "GET /tasks/tasks/t9",
                "/{tenant}/tasks/{id=*} tenant=tasks id=t9",
            ),
            (
                "GET /tasks/tasks/pushNotificationConfigs",
                "/tasks/{task_id=*}/pushNotificationConfigs task_id=tasks",
            ),
            (
                "GET /tasks/tasks/t1/pushNotificationConfigs",
                "/{tenant}/tasks/{task_id=*}/pushNotificationConfigs tenant=tasks task_id=t1",
            ),
            (
                "POST /tasks/message:send",
                "/{tenant}/message:send tenant=tasks",
            ),
            ("GET /tasks/message:send", "/tasks/{id=*} id=message:send"),
            ("POST /v1/message:send", "/{tenant}/message:send tenant=v1"),
            ("GET /t%61sks/t1", "/tasks/{id=*} id=t1"),
            (
                "GET /a%2Fb/tasks/t1",
                "/{tenant}/tasks/{id=*} tenant=a%2Fb id=t1",
            ),
            ("GET /tasks/a+b", "/tasks/{id=*} id=a+b"),
            ("GET /tasks/a%zz", "/tasks/{id=*} id=a%zz"),
            ("GET /tasks/..", "/tasks/{id=*} id=.."),
            ("DELETE /tasks", "405 GET, HEAD"),
            (
                "PATCH /tasks/t1/pushNotificationConfigs/c1",
                "405 DELETE, GET, HEAD",
            ),
            ("get /tasks", "405 GET, HEAD"),
            ("GET /message:send", "405 POST"),
            // Nothing is empty, nothing is normalised.
            ("GET //tasks", "404"),
            ("GET /tasks//pushNotificationConfigs", "404"),
            ("GET /tasks/t1/", "404"),
            ("GET /tasks/", "404"),
            ("GET /", "404"),
            ("GET ", "404"),
            ("OPTIONS *", "404"),
            ("GET tasks", "404"),
            ("GET /t%6sks/t1", "404"),
            ("GET /nope/nope/nope", "404"),
            ("GET /message", "404"),
        ],
    );
}

#[test]
fn wildcards_over_several_segments() {
    let routes = table(&[
        "GET /files/{path=**}:stat",
        "POST /sub/{path}:a:b",
        "POST /sub/{path}:b",
        "GET /any/*/tail/{path}",
        "GET /files/{path=**}/meta/raw",
        "GET /files/{path=**}",
        "GET /v1/{name=shelves/*/books/*}",
        "* /wild/{path}",
    ]);
    check(
        routes,
        &[
            ("GET /files", "/files/{path=**} path="),
            ("GET /files/a", "/files/{path=**} path=a"),
            (
                "GET /files/a/b%2Fc/d%20e",
                "/files/{path=**} path=a/b%2Fc/d%20e",
            ),
            ("GET /files/a/b:stat", "/files/{path=**}:stat path=a/b"),
            ("GET /files:stat", "/files/{path=**}:stat path="),
            ("GET /files/:stat", "/files/{path=**} path=:stat"),
            ("GET /files/a/", "404"),
            ("GET /files//a", "404"),
            (
                "GET /files/a/b/meta/raw",
                "/files/{path=**}/meta/raw path=a/b",
            ),
            ("GET /files/meta/raw", "/files/{path=**}/meta/raw path="),
            ("GET /files/raw", "/files/{path=**} path=raw"),
            ("GET /files/meta/raw/x", "/files/{path=**} path=meta/raw/x"),
            (
                "GET /v1/shelves/s1/books/b%2F1",
                "/v1/{name=shelves/*/books/*} name=shelves/s1/books/b%2F1",
            ),
            ("GET /v1/shelves/s1/books", "404"),
            ("GET /any/x/tail/y", "/any/*/tail/{path} path=y"),
            ("POST /sub/x:a:b", "/sub/{path}:a:b path=x"),
            ("POST /sub/x:b", "/sub/{path}:b path=x"),
            ("POST /sub/x:c", "404"),
            ("POST /sub/:b", "404"),
            ("BREW /wild/x", "/wild/{path} path=x"),
        ],
    );
}

#[test]
fn a_verb_is_stronger_than_a_name_and_a_method_than_any() {
    let routes = table(&[
        "GET /{resource=**}:getPolicy",
        "PUT /projects/{id}",
        "GET /projects/{id}",
        "* /projects/{id}",
        "GET /{any}/{id}",
    ]);
    check(
        routes,
        &[
            (
                "GET /projects/p1:getPolicy",
                "/{resource=**}:getPolicy resource=projects/p1",
            ),
            (
                "PUT /projects/p1:getPolicy",
                "/projects/{id} id=p1:getPolicy",
            ),
            ("GET /projects/p1", "/projects/{id} id=p1"),
            ("HEAD /projects/p1", "/projects/{id} id=p1"),
            ("PATCH /projects/p1", "/projects/{id} id=p1"),
            ("PATCH /other/p1", "405 GET, HEAD"),
        ],
    );
    let Outcome::Found(route) = find(routes, "GET", "/projects/p1") else {
        panic!("no route")
    };
    assert_eq!(route.method, "GET");
}

#[test]
fn the_root_and_everything() {
    let root = table(&["GET /"]);
    check(
        root,
        &[
            ("GET /", "/"),
            ("GET /x", "404"),
            ("GET //", "404"),
            ("PUT /", "405 GET, HEAD"),
        ],
    );
    let all = table(&["GET /{rest=**}:v", "GET /{rest=**}"]);
    check(
        all,
        &[
            ("GET /", "/{rest=**} rest="),
            ("GET /:v", "/{rest=**} rest=:v"),
            ("GET /a:v", "/{rest=**}:v rest=a"),
            ("GET //", "404"),
        ],
    );
}

#[test]
fn long_and_hostile_paths_match_nothing() {
    let routes = table(&["GET /{rest=**}"]);
    let segments = |count: usize| "/a".repeat(count);
    assert!(matches!(
        find(routes, "GET", &segments(MAX_SEGMENTS)),
        Outcome::Found(_)
    ));
    assert_eq!(
        find(routes, "GET", &segments(MAX_SEGMENTS + 1)),
        Outcome::NotFound
    );
    assert_eq!(find(routes, "GET", &segments(200_000)), Outcome::NotFound);
    assert_eq!(find(routes, "GET", &"/".repeat(64_000)), Outcome::NotFound);
    assert!(matches!(
        find(routes, "GET", &format!("/{}", "a".repeat(60_000))),
        Outcome::Found(_)
    ));
    assert_eq!(
        find(routes, "GET", &format!("/{}", "a".repeat(70_000))),
        Outcome::NotFound
    );
}

#[test]
fn a_route_is_found_without_allocating() {
    for route in crate::A2A_SERVICE.routes {
        let mut path = String::new();
        for segment in route.segments {
            path.push('/');
            path.push_str(match segment {
                Segment::Literal(literal) => literal,
                Segment::Single | Segment::Multi => "urn:a%2Fb:7",
            });
        }
        if let Some(verb) = route.verb {
            path.extend([":", verb]);
        }
        let mut found = None;
        let counted = allocation_counter::measure(|| {
            found = match find(crate::A2A_SERVICE.routes, route.method, &path) {
                Outcome::Found(found) => Some(found),
                Outcome::WrongMethod(_) | Outcome::NotFound => None,
            };
            for capture in route.captures {
                assert_eq!(captured(route, capture, &path), Some("urn:a%2Fb:7"));
            }
        });
        assert_eq!(found, Some(route), "{path}");
        assert_eq!(counted.count_total, 0, "{path}");
    }
    // The counter counts: a refusal lists its methods.
    let counted = allocation_counter::measure(|| {
        assert_eq!(
            find(crate::A2A_SERVICE.routes, "PUT", "/tasks"),
            Outcome::WrongMethod("GET, HEAD".to_owned())
        );
    });
    assert!(counted.count_total > 0);
}

proptest::proptest! {
    /// Whatever comes as a path is matched or refused, and what is captured is a part of it.
    #[test]
    fn any_path_is_answered(path in "[/a-c:%2Fé*.]{0,40}|(/(tasks|x|t1:cancel|message:send|pushNotificationConfigs)){0,6}") {
        for method in ["GET", "POST", "DELETE"] {
            if let Outcome::Found(route) = find(crate::A2A_SERVICE.routes, method, &path) {
                for capture in route.captures {
                    let raw = captured(route, capture, &path);
                    proptest::prop_assert!(raw.is_some_and(|raw| !raw.is_empty() && path.contains(raw)), "{path} {raw:?}");
                }
            }
        }
    }
}
