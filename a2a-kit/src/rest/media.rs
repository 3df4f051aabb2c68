//! Media types of HTTP+JSON requests and answers.
//!
//! Comes in: the headers of a request and the media type of the service. Goes out: the media type
//! of the answer, or a refusal, before a byte of the body is read.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

use crate::error::{Code, Error};
use crate::service::ServiceSpec;

const JSON: &str = "application/json";

/// The media type for the answer: the request's own where the service writes it, else the
/// service's.
pub(crate) fn of_answer(service: &'static ServiceSpec, headers: &HeaderMap) -> &'static str {
    let given = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .map(essence);
    match given {
        Some(given) if given.eq_ignore_ascii_case(JSON) => JSON,
        _ => service.media_type,
    }
}

/// Refuses a body that is not JSON: `application/json`, `application/*+json` or no type at all is
/// accepted, in UTF-8.
///
/// # Errors
/// HTTP 415; as the protocol's own error, when it has one for that.
pub(crate) fn check(service: &'static ServiceSpec, headers: &HeaderMap) -> Result<(), Error> {
    let Some(value) = headers.get(CONTENT_TYPE) else {
        return Ok(());
    };
    let fault = match value.to_str() {
        Ok(text) if !is_json(essence(text)) => {
            format!("a body of type {:?} cannot be read", essence(text))
        }
        Ok(text) => match charset(text) {
            Some(charset) if !charset.eq_ignore_ascii_case("utf-8") => {
                format!("a body in {charset:?} cannot be read")
            }
            _ => return Ok(()),
        },
        Err(_) => "the content type cannot be read".to_owned(),
    };
    let message = format!("{fault}; send {} in UTF-8", service.media_type);
    let own = service
        .errors
        .iter()
        .find(|spec| spec.reason == "CONTENT_TYPE_NOT_SUPPORTED");
    let error = match own {
        Some(spec) => Error::from_spec(spec, message),
        None => Error::new(Code::InvalidArgument, message),
    };
    Err(error.with_http_status(415))
}

/// A media type without its parameters.
fn essence(value: &str) -> &str {
    value
        .split_once(';')
        .map_or(value, |(essence, _)| essence)
        .trim()
}

fn is_json(essence: &str) -> bool {
    let Some((kind, subtype)) = essence.split_once('/') else {
        return false;
    };
    let suffix = subtype
        .len()
        .checked_sub("+json".len())
        .and_then(|at| subtype.get(at..));
    kind.eq_ignore_ascii_case("application")
        && (subtype.eq_ignore_ascii_case("json")
            || suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case("+json")))
}

fn charset(value: &str) -> Option<&str> {
    value.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    static OWN: crate::ErrorSpec = crate::ErrorSpec {
        name: "ContentTypeNotSupportedError",
        reason: "CONTENT_TYPE_NOT_SUPPORTED",
        domain: "example.org",
        json_rpc_code: -32005,
        code: Code::InvalidArgument,
        http_status: 400,
        message: "no",
    };

    static SERVICE: ServiceSpec = service("application/a2a+json", &[&OWN]);
    static PLAIN: ServiceSpec = service("application/json", &[]);

    const fn service(
        media_type: &'static str,
        errors: &'static [&'static crate::ErrorSpec],
    ) -> ServiceSpec {
        ServiceSpec {
            name: "test.Service",
            operations: &[],
            routes: &[],
            version: None,
            media_type,
            conflicts: a2a_wire::__codegen::Rule::Agree,
            errors,
            error_style: crate::error::ErrorStyle::Status,
            extensions_header: None,
        }
    }

    fn headers(content_type: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(value) = content_type {
            headers.insert(CONTENT_TYPE, value.parse().expect("a header value"));
        }
        headers
    }

    #[test]
    fn json_in_utf_8_is_read_and_nothing_else() {
        // Content type, accepted, media type of the answer.
        let own = "application/a2a+json";
        let cases = [
            (None, true, own),
            (Some("application/json"), true, JSON),
            (Some("Application/JSON; charset=UTF-8"), true, JSON),
            (Some("application/json;charset=\"utf-8\";v=1"), true, JSON),
            (Some("application/a2a+json"), true, own),
            (Some("application/vnd.x+JSON"), true, own),
            (Some("application/json; charset=latin1"), false, JSON),
            (Some("text/json"), false, own),
            (Some("text/plain"), false, own),
            (Some("application/x-www-form-urlencoded"), false, own),
            (Some("application/jsonp"), false, own),
            (Some("application"), false, own),
            (Some(""), false, own),
        ];
        for (content_type, accepted, answer) in cases {
            let headers = headers(content_type);
            assert_eq!(
                check(&SERVICE, &headers).is_ok(),
                accepted,
                "{content_type:?}"
            );
            assert_eq!(of_answer(&SERVICE, &headers), answer, "{content_type:?}");
        }
    }

    #[test]
    fn a_protocol_with_an_error_for_it_uses_it() {
        let error = check(&SERVICE, &headers(Some("text/plain"))).expect_err("refused");
        assert_eq!((error.http_status(), error.spec()), (415, Some(&OWN)));
        assert_eq!(
            error.message(),
            "a body of type \"text/plain\" cannot be read; send application/a2a+json in UTF-8"
        );
        let error = check(&PLAIN, &headers(Some("text/plain"))).expect_err("refused");
        assert_eq!(
            (error.http_status(), error.spec(), error.code()),
            (415, None, Code::InvalidArgument)
        );
    }
}
