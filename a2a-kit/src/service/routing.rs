//! From a raw request path to the route that serves it.
//!
//! Comes in: the routes of a service, a method and the path as it came, still percent-encoded.
//! Goes out: the route and the raw text of its captures, or which other methods the path takes.
//! Nothing is allocated on the way to a route.
//!
//! A path is split at `/` before anything is decoded, so an encoded `/` or `:` is always data. A
//! verb is a suffix of the raw last segment with something before it; a suffix that no route has
//! as its verb is data too. Routes come sorted from the generator: those with a verb before those
//! without one, then literal before `*` before `**` from left to right. The first route in that
//! order that fits is the one that a depth-first search with backtracking would find.

use std::collections::BTreeSet;

use super::percent;
use crate::service::{Capture, Route, Segment};

/// Paths with more segments than this match no route: it bounds the work per request.
const MAX_SEGMENTS: usize = 64;

/// What was found for a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The route that serves it.
    Found(&'static Route),
    /// The path is served, but not for this method: the methods, for `Allow`.
    WrongMethod(String),
    /// Nothing is served there.
    NotFound,
}

/// Finds the route for a request.
pub(crate) fn find(routes: &'static [Route], method: &str, path: &str) -> Outcome {
    let Some(path) = Path::split(path) else {
        return Outcome::NotFound;
    };
    match fitting(routes, &path).find(|route| takes(route, method)) {
        Some(route) => Outcome::Found(route),
        None => allowed(routes, &path),
    }
}

/// The routes whose path fits, best first, whatever their method.
fn fitting<'r>(
    routes: &'static [Route],
    path: &'r Path<'_>,
) -> impl Iterator<Item = &'static Route> + use<'r> {
    routes
        .iter()
        .filter(move |route| path.fits(route) && !is_shadowed(routes, route, path))
}

/// True when the end of the path is a verb of a route of the same shape: for that path the two
/// are one resource, and a method without that verb is a wrong method, not a name with a colon.
fn is_shadowed(routes: &'static [Route], route: &Route, path: &Path<'_>) -> bool {
    route.verb.is_none()
        && routes.iter().any(|other| {
            other.verb.is_some() && other.segments == route.segments && path.fits(other)
        })
}

/// `HEAD` is served wherever `GET` is.
fn takes(route: &Route, method: &str) -> bool {
    route.method == method || route.method == "*" || (method == "HEAD" && route.method == "GET")
}

fn allowed(routes: &'static [Route], path: &Path<'_>) -> Outcome {
    let mut methods = BTreeSet::new();
    for route in fitting(routes, path) {
        methods.insert(route.method);
        if route.method == "GET" {
            methods.insert("HEAD");
        }
    }
    if methods.is_empty() {
        return Outcome::NotFound;
    }
    Outcome::WrongMethod(methods.into_iter().collect::<Vec<_>>().join(", "))
}

/// The raw text of a capture of a route that [`find`] returned for this path; `None` when the path
/// is not one that the route matches.
pub(crate) fn captured<'p>(route: &Route, capture: &Capture, path: &'p str) -> Option<&'p str> {
    let path = Path::split(path)?;
    path.fits(route).then(|| path.captured(route, capture))
}

/// A path and where its segments begin.
#[derive(Debug)]
struct Path<'p> {
    raw: &'p str,
    /// Start of each segment, and one past the end of the path plus one for the missing `/`.
    starts: [u16; MAX_SEGMENTS + 1],
    len: usize,
}

impl<'p> Path<'p> {
    /// `None` for what no route can match: no leading `/`, an empty segment, too long.
    fn split(raw: &'p str) -> Option<Self> {
        let rest = raw.strip_prefix('/')?;
        let mut path = Self {
            raw,
            starts: [1; MAX_SEGMENTS + 1],
            len: 0,
        };
        if rest.is_empty() {
            return Some(path);
        }
        let mut start = 1;
        for segment in rest.split('/') {
            if segment.is_empty() || path.len == MAX_SEGMENTS {
                return None;
            }
            start += segment.len() + 1;
            path.len += 1;
            path.starts[path.len] = u16::try_from(start).ok()?;
        }
        Some(path)
    }

    fn fits(&self, route: &Route) -> bool {
        let template = route.segments;
        let multi = multi(template);
        let long_enough = match multi {
            Some(_) => self.len + 1 >= template.len(),
            None => self.len == template.len(),
        };
        long_enough
            && self.verb_fits(route.verb)
            && template
                .iter()
                .enumerate()
                .all(|(index, segment)| match segment {
                    Segment::Literal(literal) => {
                        let at = self.position(template, multi, index);
                        is_literal(&self.raw[self.range(at, at + 1, route.verb)], literal)
                    }
                    // No segment of a path is empty, see `split` and `verb_fits`.
                    Segment::Single | Segment::Multi => true,
                })
    }

    fn verb_fits(&self, verb: Option<&str>) -> bool {
        let Some(verb) = verb else { return true };
        let Some(last) = self.len.checked_sub(1) else {
            return false;
        };
        let last = &self.raw[self.range(last, last + 1, None)];
        last.strip_suffix(verb)
            .and_then(|rest| rest.strip_suffix(':'))
            .is_some_and(|rest| !rest.is_empty())
    }

    fn captured(&self, route: &Route, capture: &Capture) -> &'p str {
        let multi = multi(route.segments);
        let start = self.position(route.segments, multi, capture.start);
        let end = self.position(route.segments, multi, capture.end);
        &self.raw[self.range(start, end, route.verb)]
    }

    /// The segment of the path at which a segment of the template starts: what stands behind a
    /// `**` is counted from the end.
    fn position(&self, template: &[Segment], multi: Option<usize>, index: usize) -> usize {
        match multi {
            Some(multi) if index > multi => (self.len + index).saturating_sub(template.len()),
            _ => index,
        }
    }

    /// The bytes of the segments from `start` up to `end`, without the verb at the end of the path.
    fn range(&self, start: usize, end: usize, verb: Option<&str>) -> std::ops::Range<usize> {
        if start >= end || end > self.len {
            return 0..0;
        }
        let from = usize::from(self.starts[start]);
        let to = usize::from(self.starts[end]) - 1;
        match verb {
            Some(verb) if end == self.len => from..to - verb.len() - 1,
            _ => from..to,
        }
    }
}

fn multi(template: &[Segment]) -> Option<usize> {
    template
        .iter()
        .position(|segment| *segment == Segment::Multi)
}

fn is_literal(raw: &str, literal: &str) -> bool {
    if raw.contains('%') {
        percent::bytes(raw).eq(literal.bytes().map(Some))
    } else {
        raw == literal
    }
}

#[cfg(test)]
mod tests;
