//! Security schemes in the JSON of v0.3: five objects that `type` tells apart.
//!
//! Comes in: `{"type": "apiKey", …}`, or one of them wrapped as the protos of both versions do it
//! (`{"apiKeySecurityScheme": {…}}`), or both at once, as in cards that serve both versions. Goes
//! out: a v1.0 scheme, and the first form again. Members that nobody knows are never overlooked: a
//! scheme that was understood by half would ask for less than its author wanted.

use std::fmt;

use serde::de::{self, MapAccess};
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map as Object, Value as Any};

use crate::__codegen::json::{As, Codec as Json, Context, Struct};
use crate::json::old::{in_key, in_member, unknown_member};
use crate::path::{Segment, shortened};
use crate::v0_3_json as old;
use crate::v1_0::SecurityScheme;
use crate::v1_0::security_scheme::Scheme;

/// What the codec notes by itself.
#[cfg(test)]
pub(crate) const LOSSES: &[&str] = &[];

/// A security scheme.
#[derive(Debug)]
pub struct Codec;

/// A kind of scheme: its `type`, and the members that wrap it.
const KINDS: [(&str, [&str; 2]); 5] = [
    (
        "apiKey",
        ["apiKeySecurityScheme", "api_key_security_scheme"],
    ),
    (
        "http",
        ["httpAuthSecurityScheme", "http_auth_security_scheme"],
    ),
    ("oauth2", ["oauth2SecurityScheme", "oauth2_security_scheme"]),
    (
        "openIdConnect",
        [
            "openIdConnectSecurityScheme",
            "open_id_connect_security_scheme",
        ],
    ),
    ("mutualTLS", ["mtlsSecurityScheme", "mtls_security_scheme"]),
];

impl Json for Codec {
    type Value = SecurityScheme;

    const NOTES: bool = true;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a type")
    }

    fn object<'de, A: MapAccess<'de>>(
        cx: &Context<'_>,
        input: A,
    ) -> Result<SecurityScheme, A::Error> {
        let members = Struct::object(cx, input)?.0;
        from_members(cx, members).map_err(de::Error::custom)
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        scheme: &SecurityScheme,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        // What is lost or refused is named as v1.0 has it, where the kind is a member.
        let mark = cx.mark();
        let (member, written) = match &scheme.scheme {
            Some(Scheme::ApiKeySecurityScheme(scheme)) => (
                "apiKeySecurityScheme",
                old::APIKeySecurityScheme::write(cx, scheme, output),
            ),
            Some(Scheme::HttpAuthSecurityScheme(scheme)) => (
                "httpAuthSecurityScheme",
                old::HTTPAuthSecurityScheme::write(cx, scheme, output),
            ),
            Some(Scheme::Oauth2SecurityScheme(scheme)) => (
                "oauth2SecurityScheme",
                old::OAuth2SecurityScheme::write(cx, scheme, output),
            ),
            Some(Scheme::OpenIdConnectSecurityScheme(scheme)) => (
                "openIdConnectSecurityScheme",
                old::OpenIdConnectSecurityScheme::write(cx, scheme, output),
            ),
            Some(Scheme::MtlsSecurityScheme(scheme)) => (
                "mtlsSecurityScheme",
                old::MutualTLSSecurityScheme::write(cx, scheme, output),
            ),
            None => {
                return Err(cx.unwritable("holds no scheme; exactly one kind must be set"));
            }
        };
        cx.below(mark, || Segment::Field(member));
        written.map_err(|error| cx.inside(Segment::Field(member), error))
    }
}

impl Codec {
    /// Writes a scheme under its name.
    pub(super) fn entry<S: SerializeMap>(
        cx: &Context<'_>,
        name: &str,
        scheme: &SecurityScheme,
        output: &mut S,
    ) -> Result<(), S::Error> {
        output
            .serialize_entry(name, &As::<Self>::new(cx, scheme))
            .map_err(|error| in_key(cx, name.to_owned(), error))
    }
}

fn from_members(
    cx: &Context<'_>,
    mut members: Object<String, Any>,
) -> Result<SecurityScheme, serde_json::Error> {
    let mut wrapped = None;
    for (kind, (_, names)) in KINDS.iter().enumerate() {
        for name in names {
            if let Some(inner) = members.remove(*name).filter(|inner| !inner.is_null()) {
                if wrapped.is_some() {
                    return Err(cx.fault("holds two schemes, only one may be there"));
                }
                wrapped = Some((kind, *name, inner));
            }
        }
    }
    // What stands beside the wrapper has to make sense as well.
    let flat = match members.get("type") {
        Some(Any::String(kind)) => {
            let known = KINDS.iter().position(|(known, _)| known == kind);
            let Some(kind) = known else {
                let error = cx.fault(format_args!(
                    "expected one of apiKey, http, oauth2, openIdConnect, mutualTLS, found the string {:?}",
                    shortened(kind, 40)
                ));
                return Err(in_member(cx, "type", error));
            };
            Some((kind, read(cx, kind, Any::Object(members))?))
        }
        Some(_) => return Err(in_member(cx, "type", cx.fault("expected a string"))),
        None if wrapped.is_none() => {
            return Err(in_member(
                cx,
                "type",
                cx.fault("is required, but is not there"),
            ));
        }
        None => match members.into_iter().next() {
            Some((name, _)) => return Err(unknown_member(cx, "SecurityScheme", name)),
            None => None,
        },
    };
    let scheme = match (wrapped, flat) {
        (Some((kind, name, _)), Some((other, _))) if kind != other => {
            let error = cx.fault("is not the kind of scheme that the type says");
            return Err(in_member(cx, name, error));
        }
        (Some((kind, name, inner)), _) => {
            let mark = cx.mark();
            let read = read(cx, kind, inner).map_err(|error| in_member(cx, name, error))?;
            cx.below(mark, || Segment::Field(name));
            read
        }
        (None, Some((_, scheme))) => scheme,
        // Unreachable: without a type there is a wrapper.
        (None, None) => return Err(cx.fault("holds no scheme")),
    };
    Ok(SecurityScheme {
        scheme: Some(scheme),
    })
}

fn read(cx: &Context<'_>, kind: usize, object: Any) -> Result<Scheme, serde_json::Error> {
    fn of<C: Json>(cx: &Context<'_>, object: Any) -> Result<C::Value, serde_json::Error> {
        C::read(cx, object)?.ok_or_else(|| cx.fault("expected an object, found null"))
    }
    Ok(match kind {
        0 => Scheme::ApiKeySecurityScheme(of::<old::APIKeySecurityScheme>(cx, object)?),
        1 => Scheme::HttpAuthSecurityScheme(of::<old::HTTPAuthSecurityScheme>(cx, object)?),
        2 => Scheme::Oauth2SecurityScheme(of::<old::OAuth2SecurityScheme>(cx, object)?),
        3 => {
            Scheme::OpenIdConnectSecurityScheme(of::<old::OpenIdConnectSecurityScheme>(cx, object)?)
        }
        _ => Scheme::MtlsSecurityScheme(of::<old::MutualTLSSecurityScheme>(cx, object)?),
    })
}
