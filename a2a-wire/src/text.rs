//! Fields from path and query texts (`google.api.http` transcoding).
//!
//! Comes in: a dotted path of field names and one text, already decoded. Goes out: the message with
//! that field set, or what is wrong. Generated code holds one call per field ([`BindFields`]); the
//! walk down the path and the reading of the texts are here.

use std::borrow::Cow;
use std::str::FromStr;

use crate::json::generated as codec;
use crate::json::generated::{Codec, EnumNames, Implicit, JsonMessage};

/// What to do when the field has a value already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The text wins.
    Overwrite,
    /// A value that differs from the text is a fault ([`BindErrorKind::Conflict`]); a default
    /// value counts as absent.
    Agree,
}

/// A field that was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// Proto names from the message down to the field, for comparing two spellings.
    pub path: Vec<&'static str>,
    /// True when the field takes several values (the text was appended).
    pub repeated: bool,
}

/// A path or query text that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindError {
    /// The dotted path as it was given.
    pub path: String,
    /// What is wrong.
    pub kind: BindErrorKind,
}

/// Why a text does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BindErrorKind {
    /// No field has that name.
    UnknownField,
    /// The field cannot be written as a text (a message, a map, …).
    NotAddressable(&'static str),
    /// The text is no value of the field's type.
    Invalid {
        /// What would be right, for example `a whole number from -2147483648 to 2147483647`.
        expected: Cow<'static, str>,
    },
    /// The field already has another value ([`Rule::Agree`]), or another member of its oneof is set.
    Conflict,
}

/// Sets fields of a message from texts. Implementations are generated.
pub trait BindFields: JsonMessage {
    /// Sets one field, or goes on into it.
    ///
    /// # Errors
    /// When the rest of the path, or the text, does not fit.
    fn bind_field(&mut self, index: usize, binder: &mut Binder<'_>) -> Result<(), BindErrorKind>;
}

/// Sets the field at a dotted path. Called by generated code.
///
/// # Errors
/// When there is no such field, or the text does not fit.
pub fn bind<M: BindFields>(
    message: &mut M,
    path: &str,
    text: Cow<'_, str>,
    rule: Rule,
) -> Result<Bound, BindError> {
    let mut binder = Binder {
        rest: Some(path),
        text: Some(text),
        rule,
        path: Vec::new(),
        repeated: false,
    };
    match binder.step(message) {
        Ok(()) => Ok(Bound {
            path: binder.path,
            repeated: binder.repeated,
        }),
        Err(kind) => Err(BindError {
            path: path.to_owned(),
            kind,
        }),
    }
}

/// The way that is left, and the text.
#[derive(Debug)]
pub struct Binder<'t> {
    rest: Option<&'t str>,
    text: Option<Cow<'t, str>>,
    rule: Rule,
    path: Vec<&'static str>,
    repeated: bool,
}

/// How deep a path may lead. Messages may contain themselves, so the schema sets no bound.
const DEEPEST: usize = 64;

impl Binder<'_> {
    fn step<M: BindFields>(&mut self, message: &mut M) -> Result<(), BindErrorKind> {
        let Some(rest) = self.rest else {
            return Err(BindErrorKind::NotAddressable("a message"));
        };
        let (name, rest) = match rest.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (rest, None),
        };
        self.rest = rest;
        if self.path.len() >= DEEPEST {
            return Err(BindErrorKind::NotAddressable(
                "a field so deep in a message",
            ));
        }
        match M::field_index(name) {
            Some(index) => message.bind_field(index, self),
            None => Err(BindErrorKind::UnknownField),
        }
    }

    /// The leaf's value. Fails when the path goes on: scalars have no fields.
    fn leaf<C: TextCodec>(&mut self, name: &'static str) -> Result<C::Value, BindErrorKind> {
        self.path.push(name);
        if self.rest.is_some() {
            return Err(BindErrorKind::UnknownField);
        }
        let text = self.text.take().unwrap_or_default();
        C::parse(text).map_err(|expected| BindErrorKind::Invalid { expected })
    }

    /// A scalar whose default stands for absence.
    ///
    /// # Errors
    /// As [`BindFields::bind_field`].
    pub fn implicit<C: TextCodec<Value: PartialEq> + Implicit>(
        &mut self,
        name: &'static str,
        slot: &mut C::Value,
    ) -> Result<(), BindErrorKind> {
        let value = self.leaf::<C>(name)?;
        if self.rule == Rule::Agree && !C::is_default(slot) && *slot != value {
            return Err(BindErrorKind::Conflict);
        }
        *slot = value;
        Ok(())
    }

    /// A scalar whose absence is known, or a message with a text of its own.
    ///
    /// # Errors
    /// As [`BindFields::bind_field`].
    pub fn explicit<C: TextCodec<Value: PartialEq>>(
        &mut self,
        name: &'static str,
        slot: &mut Option<C::Value>,
    ) -> Result<(), BindErrorKind> {
        let value = self.leaf::<C>(name)?;
        if self.rule == Rule::Agree && slot.as_ref().is_some_and(|set| *set != value) {
            return Err(BindErrorKind::Conflict);
        }
        *slot = Some(value);
        Ok(())
    }

    /// A list of scalars: appends.
    ///
    /// # Errors
    /// As [`BindFields::bind_field`].
    pub fn append<C: TextCodec>(
        &mut self,
        name: &'static str,
        slot: &mut Vec<C::Value>,
    ) -> Result<(), BindErrorKind> {
        let value = self.leaf::<C>(name)?;
        self.repeated = true;
        slot.push(value);
        Ok(())
    }

    /// A member of a oneof that is a scalar.
    ///
    /// # Errors
    /// As [`BindFields::bind_field`], and when another member is set.
    pub fn member<C: TextCodec, O: PartialEq>(
        &mut self,
        name: &'static str,
        slot: &mut Option<O>,
        is_same: fn(&O) -> bool,
        wrap: fn(C::Value) -> O,
    ) -> Result<(), BindErrorKind> {
        let value = wrap(self.leaf::<C>(name)?);
        if let Some(set) = slot
            && (!is_same(set) || (self.rule == Rule::Agree && *set != value))
        {
            return Err(BindErrorKind::Conflict);
        }
        *slot = Some(value);
        Ok(())
    }

    /// A message: made if it is not there, then the path goes on in it.
    ///
    /// # Errors
    /// As [`BindFields::bind_field`].
    pub fn message<M: BindFields>(
        &mut self,
        name: &'static str,
        slot: &mut Option<M>,
    ) -> Result<(), BindErrorKind> {
        self.path.push(name);
        let made = slot.is_none();
        let outcome = self.step(slot.get_or_insert_with(M::default));
        undo(slot, made && outcome.is_err());
        outcome
    }

    /// A message in a box.
    ///
    /// # Errors
    /// As [`BindFields::bind_field`].
    pub fn boxed<M: BindFields>(
        &mut self,
        name: &'static str,
        slot: &mut Option<Box<M>>,
    ) -> Result<(), BindErrorKind> {
        self.path.push(name);
        let made = slot.is_none();
        let outcome = self.step(slot.get_or_insert_with(Box::default).as_mut());
        undo(slot, made && outcome.is_err());
        outcome
    }

    /// A member of a oneof that is a message.
    ///
    /// # Errors
    /// As [`BindFields::bind_field`], and when another member is set.
    pub fn message_member<M: BindFields, O>(
        &mut self,
        name: &'static str,
        slot: &mut Option<O>,
        get: fn(&mut O) -> Option<&mut M>,
        make: fn() -> O,
    ) -> Result<(), BindErrorKind> {
        self.path.push(name);
        let made = slot.is_none();
        let outcome = match get(slot.get_or_insert_with(make)) {
            Some(message) => self.step(message),
            None => Err(BindErrorKind::Conflict),
        };
        undo(slot, made && outcome.is_err());
        outcome
    }

    /// A field that no text can hold.
    ///
    /// # Errors
    /// Always.
    pub fn not_addressable(&mut self, what: &'static str) -> Result<(), BindErrorKind> {
        Err(BindErrorKind::NotAddressable(what))
    }
}

/// Takes back a message that was made on the way to a field that could not be set: who ignores the
/// fault (a query parameter that nobody knows) must not find an empty message.
fn undo<T>(slot: &mut Option<T>, made: bool) {
    if made {
        *slot = None;
    }
}

/// A type that a path or query text can hold.
pub trait TextCodec: Codec {
    /// Reads a text.
    ///
    /// # Errors
    /// What is expected instead.
    fn parse(text: Cow<'_, str>) -> Result<Self::Value, Cow<'static, str>>;
}

/// A plain decimal number: digits without leading zeros, and a minus where the type allows one.
pub(crate) fn decimal<N: FromStr>(text: &str) -> Option<N> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

/// What a codec expects, as a text of its own.
fn expected<C: Codec>() -> Cow<'static, str> {
    struct Expected<C>(std::marker::PhantomData<C>);
    impl<C: Codec> std::fmt::Display for Expected<C> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            C::expected(f)
        }
    }
    Expected::<C>(std::marker::PhantomData).to_string().into()
}

impl TextCodec for codec::Str {
    fn parse(text: Cow<'_, str>) -> Result<String, Cow<'static, str>> {
        Ok(text.into_owned())
    }
}

impl TextCodec for codec::Bool {
    fn parse(text: Cow<'_, str>) -> Result<bool, Cow<'static, str>> {
        match &*text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(expected::<Self>()),
        }
    }
}

impl TextCodec for codec::Bytes {
    fn parse(text: Cow<'_, str>) -> Result<bytes::Bytes, Cow<'static, str>> {
        codec::from_base64(&text).ok_or_else(expected::<Self>)
    }
}

impl<N: EnumNames> TextCodec for codec::Enumeration<N> {
    fn parse(text: Cow<'_, str>) -> Result<i32, Cow<'static, str>> {
        N::number(&text)
            .or_else(|| decimal(&text))
            .ok_or_else(expected::<Self>)
    }
}

macro_rules! parsed {
    ($($codec:ident: $text:ident => $parsed:expr;)*) => {$(
        impl TextCodec for codec::$codec {
            fn parse($text: Cow<'_, str>) -> Result<Self::Value, Cow<'static, str>> {
                $parsed.ok_or_else(expected::<Self>)
            }
        }
    )*};
}

parsed! {
    Int32: text => decimal(&text);
    Int64: text => decimal(&text);
    Uint32: text => decimal(&text);
    Uint64: text => decimal(&text);
    Float: text => <Self as codec::NumberCodec>::from_quoted(&text);
    Double: text => <Self as codec::NumberCodec>::from_quoted(&text);
    Duration: text => text.parse().ok();
    FieldMask: text => text.parse().ok();
}

impl<const DIGITS: u8> TextCodec for codec::Timestamp<DIGITS> {
    fn parse(text: Cow<'_, str>) -> Result<Self::Value, Cow<'static, str>> {
        text.parse().map_err(|_| expected::<Self>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<C: TextCodec>(text: &str) -> Option<C::Value> {
        C::parse(text.into()).ok()
    }

    #[test]
    fn plain_decimals() {
        for (text, value) in [
            ("0", 0),
            ("7", 7),
            ("-7", -7),
            ("2147483647", i32::MAX),
            ("-2147483648", i32::MIN),
            ("-0", 0),
        ] {
            assert_eq!(read::<codec::Int32>(text), Some(value), "{text}");
        }
        for text in [
            "",
            " 1",
            "1 ",
            "+1",
            "1.0",
            "1e3",
            "007",
            "-",
            "--1",
            "2147483648",
            "0x1",
            "١",
        ] {
            assert_eq!(read::<codec::Int32>(text), None, "{text}");
        }
        assert_eq!(read::<codec::Int64>("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(
            read::<codec::Uint64>("18446744073709551615"),
            Some(u64::MAX)
        );
        assert_eq!(read::<codec::Uint32>("-1"), None);
    }

    #[test]
    fn other_types() {
        assert_eq!(read::<codec::Str>("a b"), Some("a b".to_owned()));
        assert_eq!(read::<codec::Bool>("false"), Some(false));
        for text in ["1", "TRUE", "", "t"] {
            assert_eq!(read::<codec::Bool>(text), None, "{text}");
        }
        assert_eq!(
            read::<codec::Bytes>("-_8").as_deref(),
            Some(&[0xfb, 0xff][..])
        );
        assert_eq!(
            read::<codec::Bytes>("+/8=").as_deref(),
            Some(&[0xfb, 0xff][..])
        );
        assert_eq!(read::<codec::Bytes>("%"), None);
        assert_eq!(read::<codec::Double>("1e3"), Some(1000.0));
        assert!(read::<codec::Double>("NaN").unwrap().is_nan());
        assert_eq!(read::<codec::Double>("-Infinity"), Some(f64::NEG_INFINITY));
        for text in ["", "inf", "nan", " 1", "+1", "1e999"] {
            assert_eq!(read::<codec::Double>(text), None, "{text}");
        }
        assert_eq!(read::<codec::Float>("3.5e38"), None);
        assert!(read::<codec::Timestamp<3>>("2025-11-09T10:30:00Z").is_some());
        assert!(read::<codec::Timestamp<3>>("2025-11-09T10:30:00 02:00").is_none());
        assert!(read::<codec::Duration>("1.5s").is_some());
        assert!(read::<codec::Duration>("1m30s").is_none());
        assert_eq!(
            read::<codec::FieldMask>("a,bC").unwrap().paths,
            ["a", "b_c"]
        );
    }

    #[test]
    fn errors_say_what_is_expected() {
        assert_eq!(
            codec::Int32::parse("x".into()),
            Err("a whole number from -2147483648 to 2147483647".into())
        );
        assert_eq!(codec::Bool::parse("x".into()), Err("true or false".into()));
    }
}
