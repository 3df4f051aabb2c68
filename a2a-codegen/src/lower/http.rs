//! HTTP bindings: `google.api.http` rules and the extra routes of a profile.

use super::field_paths;
use super::options::HttpRule;
use super::schema::File;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::{Api, Body, Field, HttpBinding, Message, Method, Origin, PathTemplate};
use crate::template::{TemplateError, parse_template};

/// The method that bindings are for.
pub(super) struct Call<'a> {
    pub(super) api: &'a Api,
    /// Full name, for errors.
    name: String,
    pub(super) request: &'a str,
    response: &'a str,
}

impl<'a> Call<'a> {
    pub(super) fn new(api: &'a Api, service: &str, method: &'a Method) -> Self {
        Self {
            api,
            name: format!("{service}.{}", method.proto_name),
            request: &method.request,
            response: &method.response,
        }
    }

    /// Full name of the method.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// A message by name; `None` for `Empty`.
    fn message(&self, name: &str) -> Option<&'a Message> {
        self.api.messages.get(name)
    }
}

/// Where a rule is written.
pub(super) enum Place<'a> {
    /// In a schema, in the option at this descriptor path.
    Annotation { file: &'a File<'a>, path: &'a [i32] },
    /// Somewhere else, at this position.
    Entry(Origin),
}

impl Place<'_> {
    fn origin(&self, call: &Call<'_>) -> Origin {
        match self {
            Self::Annotation { file, path } => file.origin_of_option(path, &call.name),
            Self::Entry(origin) => Origin {
                proto_path: call.name.as_str().into(),
                ..origin.clone()
            },
        }
    }

    /// Where the schema has a text as a plain literal.
    fn literals(&self, text: &str) -> Vec<(u32, u32)> {
        match self {
            Self::Annotation { file, path } => file.literals(path, text),
            Self::Entry(_) => Vec::new(),
        }
    }

    /// The place of a text: its own when the rule has it once, otherwise that of its binding.
    fn of(&self, text: &str, binding: &Origin) -> Origin {
        match *self.literals(text) {
            [(line, column)] => Origin {
                line,
                column,
                ..binding.clone()
            },
            _ => binding.clone(),
        }
    }
}

/// One binding, as it is written.
pub(super) struct Written<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) body: &'a str,
    pub(super) response_body: &'a str,
}

/// Lowers a rule and its additional bindings.
pub(super) fn lower_rule(
    rule: &HttpRule,
    place: &Place<'_>,
    call: &Call<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<HttpBinding> {
    let mut bindings = Vec::new();
    let mut templates: Vec<&str> = Vec::new();
    let rules = std::iter::once((rule, false))
        .chain(rule.additional_bindings.iter().map(|rule| (rule, true)));
    for (rule, additional) in rules {
        if additional && !rule.additional_bindings.is_empty() {
            let fault = format!(
                "the HTTP rule of `{}` has `additional_bindings` inside of `additional_bindings`",
                call.name
            );
            diagnostics.push(
                Diagnostic::new(place.origin(call), fault)
                    .hint("list all of them in the outer rule, one after the other"),
            );
        }
        let Some(pattern) = &rule.pattern else {
            let fault = format!("the HTTP rule of `{}` has no path", call.name);
            diagnostics.push(
                Diagnostic::new(place.origin(call), fault)
                    .hint("add `get: \"/…\"`, or `put`, `post`, `delete`, `patch`, `custom`"),
            );
            continue;
        };
        let (method, path) = pattern.parts();
        // The same text may be written more than once; they come in the order of the rules.
        let earlier = templates.iter().filter(|earlier| **earlier == path).count();
        templates.push(path);
        let written = Written {
            method,
            path,
            body: &rule.body,
            response_body: &rule.response_body,
        };
        bindings.extend(lower_binding(&written, place, earlier, call, diagnostics));
    }
    bindings
}

/// Lowers one binding; `None` when something is wrong with it.
pub(super) fn lower_binding(
    written: &Written<'_>,
    place: &Place<'_>,
    earlier: usize,
    call: &Call<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<HttpBinding> {
    let mut origin = place.origin(call);
    let literal = place.literals(written.path).get(earlier).copied();
    if let Some((line, column)) = literal {
        (origin.line, origin.column) = (line, column);
    }
    let before = diagnostics.len();
    let mut report = |fault: Diagnostic| diagnostics.push(fault);

    if let Err(fault) = check_method(written.method, place.of(written.method, &origin), call) {
        report(fault);
    }
    let template = match parse_template(written.path) {
        Ok(template) => {
            field_paths::check(&template, written.body, &origin, call, &mut report);
            Some(template)
        }
        Err(error) => {
            let mut at = origin.clone();
            if literal.is_some() {
                // Behind the quote.
                at.column = at
                    .column
                    .saturating_add(u32::try_from(error.offset).unwrap_or(0))
                    .saturating_add(1);
            }
            report(template_fault(&error, written.path, at, call));
            None
        }
    };
    let body = body(
        written.body,
        &place.of(written.body, &origin),
        call,
        &mut report,
    );
    let response_origin = place.of(written.response_body, &origin);
    let response_body = response_body(written.response_body, &response_origin, call, &mut report);
    let template: PathTemplate = template.filter(|_| diagnostics.len() == before)?;
    Some(HttpBinding {
        method: written.method.to_owned(),
        template,
        body,
        response_body,
        origin,
    })
}

fn template_fault(
    error: &TemplateError,
    path: &str,
    origin: Origin,
    call: &Call<'_>,
) -> Diagnostic {
    let character = path
        .get(..error.offset)
        .map_or(0, |before| before.chars().count())
        + 1;
    let message = format!(
        "the path template `{}` of `{}` is wrong at character {character}: {}",
        path.escape_debug(),
        call.name,
        error.message
    );
    Diagnostic::new(origin, message).hint(error.hint.as_str())
}

/// HTTP methods are tokens, and case matters to servers.
fn check_method(method: &str, origin: Origin, call: &Call<'_>) -> Result<(), Diagnostic> {
    const KNOWN: [&str; 9] = [
        "GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT",
    ];
    let fault = |message: String| Diagnostic::new(origin, message);
    if method.is_empty() {
        let message = format!("a route of `{}` has no HTTP method", call.name);
        return Err(fault(message).hint("name one, such as `HEAD`; `*` is any"));
    }
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if !method.bytes().all(is_token) {
        let message = format!(
            "`{}` of `{}` is no HTTP method",
            method.escape_debug(),
            call.name
        );
        return Err(fault(message).hint("name one, such as `HEAD`; `*` is any"));
    }
    match KNOWN
        .iter()
        .find(|known| known.eq_ignore_ascii_case(method) && **known != method)
    {
        Some(known) => {
            let message = format!("`{method}` of `{}` is no HTTP method", call.name);
            Err(fault(message).hint(format!("write `{known}`")))
        }
        None => Ok(()),
    }
}

/// What of the request stands in the body.
fn body(
    written: &str,
    origin: &Origin,
    call: &Call<'_>,
    report: &mut impl FnMut(Diagnostic),
) -> Body {
    match written {
        "" => Body::None,
        "*" => Body::All,
        name => match top_level(call.message(call.request), call.request, name) {
            Ok((index, _)) => Body::Field(index),
            Err((problem, hint)) => {
                let message = format!("the `body` of `{}`: {problem}", call.name);
                report(Diagnostic::new(origin.clone(), message).hint(hint));
                Body::None
            }
        },
    }
}

/// The field of the response that is the whole body.
fn response_body(
    written: &str,
    origin: &Origin,
    call: &Call<'_>,
    report: &mut impl FnMut(Diagnostic),
) -> Option<usize> {
    if written.is_empty() {
        return None;
    }
    let found = if written == "*" {
        Err((
            "`*` is no field".to_owned(),
            "leave `response_body` out: the whole response is the default".to_owned(),
        ))
    } else {
        top_level(call.message(call.response), call.response, written)
    };
    match found {
        Ok((index, _)) => Some(index),
        Err((problem, hint)) => {
            let message = format!("the `response_body` of `{}`: {problem}", call.name);
            report(Diagnostic::new(origin.clone(), message).hint(hint));
            None
        }
    }
}

/// A field of a message itself.
fn top_level<'a>(
    message: Option<&'a Message>,
    message_name: &str,
    name: &str,
) -> Result<(usize, &'a Field), (String, String)> {
    if name.contains('.') {
        return Err((
            format!("`{name}` is not a field of `{message_name}` itself"),
            "name a field of the message itself; `*` is all of them".to_owned(),
        ));
    }
    let fields = message.map_or(&[] as &[Field], |message| message.fields.as_slice());
    field_paths::find(fields, name).ok_or_else(|| field_paths::unknown(fields, message_name, name))
}
