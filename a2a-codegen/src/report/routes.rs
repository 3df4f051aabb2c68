//! Routes: which older ones a server of the newer version takes, and for what.

use super::Input;
use super::model::{Spelling, Trap, TrapKind};
use crate::model::{HttpBinding, Method, PathTemplate, Segment};
use crate::template::parse_template;

/// Older routes that a server of the newer version answers with an operation, reading a fixed part
/// of the path as a variable.
pub(super) fn traps(input: &Input<'_>) -> Vec<Trap> {
    let methods = |api: &'_ crate::model::Api| -> Vec<Method> {
        api.services
            .iter()
            .flat_map(|service| service.methods.clone())
            .collect()
    };
    let (olds, news) = (methods(input.old.api), methods(input.new.api));
    let mut traps = Vec::new();
    for method in &olds {
        for old in &method.bindings {
            for newer in &news {
                for new in &newer.bindings {
                    traps.extend(trap(old, (newer, new)));
                }
            }
        }
    }
    traps
}

fn trap(old: &HttpBinding, (newer, new): (&Method, &HttpBinding)) -> Option<Trap> {
    let same_method = new.method == old.method || new.method == "*" || old.method == "*";
    if !same_method || !covers(&new.template, &old.template) {
        return None;
    }
    let taken = taken(&new.template, &old.template);
    if taken.is_empty() {
        return None;
    }
    Some(Trap {
        kind: TrapKind::Route,
        spelling: Spelling::Http,
        old: format!("{} {}", old.method, old.template.canonical()),
        new: format!("{} {}", new.method, new.template.canonical()),
        why: format!("`{}` answers, with {}", newer.proto_name, taken.join(", ")),
        instead: "has to be told apart by the version of the call".to_owned(),
        always: true,
    })
}

/// True when every path of an older template is one of a newer one.
fn covers(new: &PathTemplate, old: &PathTemplate) -> bool {
    let several = |template: &PathTemplate| template.segments.contains(&Segment::Multi);
    // Templates of A2A have no `**`; one that has is compared as text.
    if several(new) || several(old) {
        return new.shape() == old.shape();
    }
    let fits = |(new, old): (&Segment, &Segment)| match (new, old) {
        (Segment::Single, _) => true,
        (new, old) => new == old,
    };
    new.verb == old.verb
        && new.segments.len() == old.segments.len()
        && new.segments.iter().zip(&old.segments).all(fits)
}

/// Variables of a newer template that take fixed parts of an older one.
fn taken(new: &PathTemplate, old: &PathTemplate) -> Vec<String> {
    let mut taken = Vec::new();
    for variable in &new.variables {
        for at in variable.start..variable.end {
            if let (Some(Segment::Single), Some(Segment::Literal(text))) =
                (new.segments.get(at), old.segments.get(at))
            {
                taken.push(format!("`{}` = `{text}`", variable.field_path.join(".")));
            }
        }
    }
    taken
}

/// Fixed segments in front that most routes of a version have in common, `/v1`.
pub(super) fn prefix(methods: &[Method]) -> Option<String> {
    let paths = methods.iter().flat_map(|method| &method.bindings);
    let firsts: Vec<Option<&String>> = paths
        .map(|binding| match binding.template.segments.as_slice() {
            [Segment::Literal(first), _, ..] => Some(first),
            _ => None,
        })
        .collect();
    let first = firsts.first().copied().flatten()?;
    let all = firsts.iter().all(|each| *each == Some(first));
    // Without a second segment it would be the name of the resource.
    (all && firsts.len() > 1).then(|| format!("/{first}"))
}

/// The template of a route as clients write it, `/v1/tasks/{id}`; as it is when it is wrong.
pub(super) fn canonical(path: &str) -> String {
    parse_template(path).map_or_else(|_| path.to_owned(), |template| template.canonical())
}
