//! The plan: how each message, enum and operation of an older version becomes that of a newer one.
//!
//! Comes in: nothing; these are plain types that [`crate::plan`] fills from two models and a rules
//! file. Goes out: what the adapter emitters and the report read. Fields are named by their index
//! in [`Message::fields`](crate::model::Message::fields) of the message that the plan is about, so
//! that an emitter cannot misspell one.
//!
//! `up` is from the older version to the newer one, `down` the way back.

use std::collections::BTreeMap;

use crate::model::Origin;

/// Which spelling of the older version a plan is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// Its proto: protobuf and ProtoJSON.
    Proto,
    /// Its JSON schema.
    Json,
}

/// Everything that adapters between two versions are made from.
#[derive(Debug, Clone)]
pub struct ConversionPlan {
    /// The spelling of the older version.
    pub encoding: Encoding,
    /// Pairs of message types. One newer type may stand in several pairs, one for each older type
    /// that it is made from; a pair stands here once.
    pub messages: Vec<MessagePlan>,
    /// Pairs of enums, by the newer one's full name.
    pub enums: BTreeMap<String, EnumPlan>,
    /// Operations of both sides.
    pub methods: Vec<MethodPlan>,
    /// Loss ids that rules declare, with what people are told.
    pub losses: BTreeMap<String, String>,
}

impl ConversionPlan {
    /// The plan of a pair of message types, by full names.
    #[must_use]
    pub fn message(&self, new: &str, old: &str) -> Option<&MessagePlan> {
        self.messages
            .iter()
            .find(|plan| plan.new == new && plan.old == old)
    }
}

/// How one message type of the older version and one of the newer one stand for each other.
#[derive(Debug, Clone)]
pub struct MessagePlan {
    /// Full name of the newer type.
    pub new: String,
    /// Full name of the older type. It is a union's for [`How::Tagged`] and for some hooks, a
    /// [bare message's](crate::model::Message::bare) for [`How::Bare`] and for some hooks, and
    /// `google.protobuf.Empty` where the older side says nothing at all.
    pub old: String,
    /// What is done.
    pub how: How,
    /// What a hook for the whole message may lose.
    pub hook_losses: HookLosses,
    /// The rule that pairs the types, or that names the hook; `None` when their names are equal.
    pub rule: Option<RuleRef>,
}

/// Losses that a hook notes by itself, as its rule declares them: what reports tell, and what the
/// hook is held to. They say nothing to emitters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookLosses {
    /// Ids coming up.
    pub up: Vec<String>,
    /// Ids going down.
    pub down: Vec<String>,
}

/// What is done with a pair of message types.
#[derive(Debug, Clone)]
pub enum How {
    /// Field by field. Every field of both sides is in exactly one plan, but for these: newer fields
    /// that a [`FieldKind::Lift`] of an outer plan fills, newer fields that are both in a template
    /// and in an inlined type, and newer fields that only an inlined type has.
    Fields(Vec<FieldPlan>),
    /// A hook in Rust, named in the rules, converts the whole message.
    Hook(String),
    /// The older side is one of several objects, told apart by the value of a member; the newer
    /// side has a oneof for it.
    Tagged {
        /// Index of the oneof in the newer message.
        oneof: usize,
        /// Name of the member in JSON, `kind`.
        tag: String,
        /// The objects.
        variants: Vec<VariantPlan>,
        /// What else the newer message has: fields beside the oneof, and members of it for which
        /// there is no object. Empty between the versions of A2A that there are.
        dropped: Vec<FieldPlan>,
    },
    /// The older side is the bare value of this one field of the newer message (a list without its
    /// wrapper); the newer message's other fields are dropped with these losses.
    Bare {
        /// Index of the field in the newer message.
        new: usize,
        /// What else the newer message has.
        dropped: Vec<FieldPlan>,
    },
}

/// One object of [`How::Tagged`].
#[derive(Debug, Clone)]
pub struct VariantPlan {
    /// Value of the tag, `status-update`.
    pub value: String,
    /// Full name of the older type.
    pub old: String,
    /// Index of the member in the newer message's fields.
    pub new: usize,
}

/// How fields of both sides stand for each other.
///
/// When a loss counts:
///
/// | kind | `up_loss` | `down_loss` |
/// |---|---|---|
/// | [`FieldKind::OnlyOld`] without a hook | it is set | |
/// | [`FieldKind::OnlyNew`] | | it is set |
/// | [`Via::ZeroIsUnset`] | it is there and 0 | it is there and 0 |
/// | [`Via::First`] | there are more than one | |
/// | [`Via::LenientTime`] | it was not written as the newer version does, or had to be dropped | |
/// | [`Via::EmptyIsUnset`] | it is there and empty | |
/// | [`Via::Same`] with `always_down` | | it is unset, and its default goes down |
/// | [`Via::Same`] of free data, to a proto | | it holds an integer that no double is |
/// | a hook | the hook says when | the hook says when |
#[derive(Debug, Clone)]
pub struct FieldPlan {
    /// What is done.
    pub kind: FieldKind,
    /// Loss when the value of the older side does not come up whole.
    pub up_loss: Option<String>,
    /// Loss when the value of the newer side does not go down whole.
    pub down_loss: Option<String>,
    /// What a hook of this field, or the reading of a lenient time, may lose; the first ones are in
    /// `up_loss` and `down_loss` too.
    pub hook_losses: HookLosses,
    /// The rule that says so; `None` when it follows from the names.
    pub rule: Option<RuleRef>,
}

/// Where a rule stands in the rules file.
#[derive(Debug, Clone)]
pub struct RuleRef {
    /// The key, `Message.parts`.
    pub key: String,
    /// Where.
    pub origin: Origin,
}

/// What is done with fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// One field for one field. Types are equal, or messages or enums that are a pair of the plan.
    Carry {
        /// Index in the newer message.
        new: usize,
        /// Index in the older message.
        old: usize,
        /// What happens to the value.
        via: Via,
        /// What an absent older value means.
        absent: Absent,
        /// The older value is written also when the newer one is unset or default.
        always_down: bool,
        /// Further names under which readers of the older version take it.
        read_also: Vec<String>,
    },
    /// One older field for a field deeper in the newer message: indices from the outermost message
    /// to the leaf.
    Lift {
        /// Path in the newer message.
        new: Vec<usize>,
        /// Index in the older message.
        old: usize,
    },
    /// An older message field whose own fields stand for fields of this same newer message: the
    /// pair (this newer type, that older type) is in the plan by itself.
    ///
    /// Going down, newer fields that other plans of this message name are theirs: the inner plan
    /// must not count those as lost that it alone would ([`FieldKind::OnlyNew`]). Coming up, what a
    /// template gives counts only where the inlined type left the field unset.
    Inline {
        /// Index in the older message.
        old: usize,
        /// Full name of the older type.
        inner: String,
    },
    /// An older text such as `tasks/{task_id}` that holds one or several newer texts.
    Template {
        /// Index in the older message.
        old: usize,
        /// Pieces in turn: literal, or index of a newer field.
        pieces: Vec<Piece>,
    },
    /// Several older fields for one newer field, by a hook.
    Gather {
        /// Index in the newer message.
        new: usize,
        /// Indices in the older message, in the order of the hook's arguments.
        old: Vec<usize>,
        /// Name of the hook.
        hook: String,
    },
    /// The newer side alone has it. Going down it is lost if it is set; coming up it stays unset.
    OnlyNew {
        /// Index in the newer message.
        new: usize,
    },
    /// The older side alone has it.
    OnlyOld {
        /// Index in the older message.
        old: usize,
        /// A hook that makes it going down and judges it coming up; without one it is lost coming
        /// up, and going down it stays unset.
        hook: Option<String>,
    },
}

/// A piece of a [`FieldKind::Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Must be there as it is.
    Literal(String),
    /// Index of a newer field.
    Field(usize),
}

/// What happens to a value on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// Nothing, or what the pair of its types says.
    Same,
    /// A truth value that means the opposite.
    Not,
    /// A number whose 0 means that it is unset, in the older version.
    ZeroIsUnset,
    /// A list in the older version, one value in the newer one: the first counts.
    First,
    /// A time that the older version writes in more ways.
    LenientTime,
    /// An object whose emptiness says nothing: coming up, `{}` is unset.
    EmptyIsUnset,
    /// A text in the newer version, in the older one a value of an enum. Going down, a text that the
    /// enum does not have is refused, with this id.
    OneOf(String),
    /// A hook of this name, for the value alone. Where the values could stand for each other without
    /// it, the types in them have plans of their own.
    Hook(String),
}

/// What the absence of an older value means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absent {
    /// The newer value is unset as well.
    Unset,
    /// This truth value, with a loss if one is named.
    Bool {
        /// The older value that is meant.
        value: bool,
        /// Loss id to declare.
        loss: Option<String>,
    },
    /// The newer value is unset as well, and that is a loss, with this id. For a list of which the
    /// first counts, it is absent when it is empty.
    Lost(String),
    /// It must be there: refused, with this id.
    Refused(String),
}

/// How the values of two enums stand for each other.
#[derive(Debug, Clone)]
pub struct EnumPlan {
    /// Full name of the newer enum.
    pub new: String,
    /// Full name of the older enum.
    pub old: String,
    /// Numbers of the newer enum and the older side's spelling, in the newer order. A newer value
    /// that is not here is refused going down, with the id in [`EnumPlan::refused`].
    pub values: Vec<ValuePlan>,
    /// Newer values without an older one, by number, and the id with which they are refused.
    pub refused: BTreeMap<i32, String>,
    /// Older values without a newer one, by name, and what they become coming up: the newer number
    /// and the loss.
    pub only_old: BTreeMap<String, (i32, String)>,
    /// Loss when an older value that neither version knows becomes the newer number 0. Without one,
    /// such a value is refused.
    pub unknown_loss: Option<String>,
    /// The rule; `None` when all names are equal.
    pub rule: Option<RuleRef>,
}

/// One value of an enum.
#[derive(Debug, Clone)]
pub struct ValuePlan {
    /// Number of the newer value.
    pub new: i32,
    /// Number of the older value, for a proto.
    pub old: i32,
    /// Name of the older value: of the proto, or the text in JSON.
    pub old_name: String,
    /// Loss coming up, when this value cannot be told from another one.
    pub up_loss: Option<String>,
    /// Loss going down, when this newer value has no older one and another stands in for it.
    pub down_loss: Option<String>,
}

/// How operations stand for each other.
#[derive(Debug, Clone)]
pub struct MethodPlan {
    /// Index in the methods of the newer side's first service; `None` for an operation that went
    /// away.
    pub new: Option<usize>,
    /// Index in the methods of the older side's first service; `None` for an operation that is new.
    pub old: Option<usize>,
    /// Newer and older name of the pair in [`ConversionPlan::messages`] that the requests are; `None`
    /// when both say nothing, and for an operation that only one side has. Where the older schema
    /// takes one of several objects, it is the one that has all fields of the others.
    pub request: Option<(String, String)>,
    /// The same of the responses, and of the events of a stream.
    pub response: Option<(String, String)>,
    /// The id with which an operation that only one side has is refused.
    pub refused: Option<String>,
    /// The rule that says so; `None` when their names are equal.
    pub rule: Option<RuleRef>,
}
