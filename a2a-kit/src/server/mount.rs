//! The server inside an `axum::Router`.
//!
//! Comes in: a [`Server`]. Goes out: a router of coarse paths, all of which lead to the server. It
//! has no fallback, so that it can be merged with a router that has one; axum's patterns only
//! decide that a path is the agent's, never which operation it means.

use std::collections::BTreeSet;

use axum::Router;

#[cfg(feature = "grpc")]
use crate::service::ServiceSpec;
use crate::service::{Route, Segment};

use super::Server;

impl Server {
    /// The server as a router, to be merged, nested and layered.
    ///
    /// Paths that have nothing to do with the agent are left to the other routes. Mount it at the
    /// root: gRPC clients know no other place.
    ///
    /// # Panics
    /// Merging panics, as always in axum, when two routers have the same path.
    pub fn router(&self) -> Router {
        let inner = &*self.0;
        let mut paths = BTreeSet::new();
        paths.extend(inner.card.paths().map(str::to_owned));
        for card in inner.tenant_cards.values() {
            paths.extend(card.paths().map(|path| format!("/{{p0}}{path}")));
        }
        let all = [&inner.new, &inner.old];
        // The newer routers have every binding.
        if inner.new.json_rpc.is_some() {
            for path in &inner.json_rpc_paths {
                paths.extend([literal(path), literal(path) + "/"]);
            }
        }
        for routers in all.iter().filter(|routers| routers.rest.is_some()) {
            paths.extend(routers.service.routes.iter().flat_map(coarse));
        }
        let mut paths: BTreeSet<String> = paths
            .into_iter()
            .map(|path| format!("{}{path}", literal(&inner.base)))
            .collect();
        paths.remove("");
        #[cfg(feature = "grpc")]
        for routers in all.iter().filter(|routers| routers.grpc.is_some()) {
            paths.extend(grpc(routers.service, &inner.base));
        }
        paths.into_iter().fold(Router::new(), |router, path| {
            router.route_service(&path, self.clone())
        })
    }
}

/// Patterns that cover a route: everything from its first literal on.
fn coarse(route: &Route) -> Vec<String> {
    let mut prefix = String::new();
    for (index, segment) in route.segments.iter().enumerate() {
        let last = index + 1 == route.segments.len();
        match segment {
            Segment::Single => prefix += &format!("/{{p{index}}}"),
            Segment::Multi => return with_rest(prefix),
            Segment::Literal(text) => {
                prefix = prefix + "/" + &literal(text);
                match route.verb {
                    Some(verb) if last => return vec![prefix + ":" + &literal(verb)],
                    _ if last => return vec![prefix.clone() + "/", prefix],
                    _ => return with_rest(prefix),
                }
            }
        }
    }
    vec![if prefix.is_empty() {
        "/".to_owned()
    } else {
        prefix
    }]
}

fn with_rest(prefix: String) -> Vec<String> {
    vec![prefix.clone() + "/", prefix.clone() + "/{*rest}", prefix]
}

/// A text that axum is to take as it is.
fn literal(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

#[cfg(feature = "grpc")]
fn grpc(service: &ServiceSpec, base: &str) -> BTreeSet<String> {
    let package = |path: &'static str| path.rsplit_once('/').map_or("", |(package, _)| package);
    let patterns = service
        .operations
        .iter()
        .map(|operation| literal(package(operation.grpc_path)) + "/{*method}");
    patterns
        .flat_map(|pattern| [literal(base) + &pattern, pattern])
        .collect()
}
