//! Where agents may stand: in functions, macros, modules without a prelude, behind other attributes.

use a2a_kit::prelude::*;
use a2a_kit::v1_0::AgentCard;

/// An agent inside of a function.
#[must_use]
pub fn in_a_function() -> AgentCard {
    /// Lives shortly.
    #[a2a_agent(name = "Local", capabilities(streaming), scheme(key, mtls))]
    struct Local;

    #[a2a_skills]
    impl Local {
        /// Does it.
        #[skill(tags("a"), security(key))]
        async fn act(&self) -> Result<Chunks, SkillError> {
            Err(SkillError::new("nothing to hand over"))
        }
    }

    Local::card()
}

macro_rules! agent {
    ($(#[$meta:meta])* $visibility:vis $name:ident, $title:literal, $tag:expr, $input:ty => $output:ty, $body:expr) => {
        $(#[$meta])*
        #[a2a_agent(name = $title, version = $title)]
        $visibility struct $name;

        #[a2a_skills]
        impl $name {
            $(#[$meta])*
            #[skill(tags($tag, "made"))]
            async fn act(&self, input: $input) -> $output {
                let act: fn($input) -> $output = $body;
                act(input)
            }
        }
    };
}

agent!(
    /// Made by a macro.
    pub Made, "Made", "macro", Text => Text, |text| text
);

/// Nothing is in scope here that nobody named; and what is in scope has other names than usual.
#[no_implicit_prelude]
pub mod bare {
    use ::a2a_kit::{a2a_agent, a2a_skills};

    /// Not the one of the standard library.
    pub struct Option;
    /// Nor this.
    pub struct Result;
    /// Nor this.
    pub struct Vec;
    /// Nor this.
    pub struct Box;
    /// Nor this.
    pub struct String;

    /// Has nothing.
    #[a2a_agent(
        name = "Bare",
        capabilities(streaming),
        extension(uri = "u", params = { "a": [null, 1] }),
        scheme(key, mtls),
        security(key),
        tenants("t"),
    )]
    pub struct Bare;

    #[a2a_skills]
    impl Bare {
        /// Does it.
        #[skill(tags("a"), security(key), default)]
        async fn act(
            &self,
            text: ::a2a_kit::skills::Text,
            _task: &::a2a_kit::agent::TaskContext,
        ) -> ::core::result::Result<::a2a_kit::skills::Text, ::a2a_kit::skills::SkillError>
        {
            ::core::result::Result::Ok(text)
        }
    }

    /// What goes wrong.
    #[derive(::a2a_kit::Failure)]
    pub enum Wrong {
        /// All of it.
        All,
        /// Some, in a struct.
        Some {
            /// How much.
            much: u8,
        },
    }
}

/// Two paragraphs follow.
/// This line belongs to the first.
///
/// This is the second.
#[derive(Debug, Clone, Default)]
#[allow(dead_code, reason = "an attribute between comment and attribute")]
#[a2a_agent(name = "Documented")]
#[non_exhaustive]
pub struct Documented {
    /// A field.
    pub seed: u64,
}

#[a2a_skills]
#[allow(dead_code, reason = "an attribute between block and attribute")]
impl Documented {
    /// A constant among the methods.
    pub const LIMIT: usize = 3;

    /// The first line.
    #[must_use]
    /// The second line.
    #[skill(tags("a"))]
    #[allow(
        clippy::option_option,
        reason = "an attribute between skill and method"
    )]
    async fn described(&self) -> String {
        self.helper()
    }

    /// Not a skill.
    fn helper(&self) -> String {
        self.seed.to_string()
    }

    #[doc = "Documented by an attribute."]
    #[skill(tags("a"))]
    async fn attributed(&self) {}
}

mod private {
    use a2a_kit::prelude::*;

    /// Is nobody's business.
    #[a2a_agent(name = "Private", scheme("for-all", mtls))]
    struct Private
    where
        Self: Send,
        String: Clone;

    /// The skills of an agent may stand in another module.
    mod inner {
        use a2a_kit::prelude::*;

        #[a2a_skills]
        impl super::Private {
            /// Does it.
            #[skill(tags("a"), security("for-all"))]
            async fn act(&self) {}
        }
    }

    /// What others see of it.
    pub(super) fn skills() -> usize {
        let _ = Private.into_agent();
        Private::card().skills.len()
    }
}

mod hidden {
    use a2a_kit::prelude::*;

    /// More public in name than its module lets it be.
    #[allow(unreachable_pub, reason = "the attribute is not to say it once more")]
    #[a2a_agent(name = "Hidden")]
    pub struct Hidden;

    #[a2a_skills]
    impl Hidden {
        /// Does it.
        #[skill(tags("a"))]
        async fn act(&self) {}
    }
}

/// An agent of a hidden module.
#[must_use]
pub fn hidden_card() -> AgentCard {
    hidden::Hidden::card()
}

/// Agents that are private are used as any other.
#[must_use]
pub fn private_skills() -> usize {
    private::skills()
}

/// Is not there, and neither is what its attributes write.
#[a2a_agent(name = "Absent", scheme(key, mtls))]
#[cfg(feature = "never")]
pub struct Absent;

#[a2a_skills]
#[cfg(feature = "never")]
impl Absent {
    /// Does it.
    #[skill(tags("a"), security(key))]
    async fn act(&self, input: Missing) {}
}

/// Is there under a condition that holds.
#[a2a_agent(name = "Present", capabilities(streaming), scheme(key, mtls))]
#[cfg(not(feature = "never"))]
pub struct Present;

#[a2a_skills]
#[cfg(not(feature = "never"))]
impl Present {
    /// Does it.
    #[skill(tags("a"), security(key))]
    async fn act(&self) -> Result<Chunks, SkillError> {
        Err(SkillError::new("nothing"))
    }
}

/// Some of its skills are only there under a condition.
#[a2a_agent(name = "Conditional", capabilities(streaming))]
pub struct Conditional;

#[a2a_skills]
impl Conditional {
    /// Always.
    #[skill(tags("a"))]
    async fn always(&self) {}

    /// Never, since its types do not exist.
    #[cfg(feature = "never")]
    #[skill(tags("a"), security(none))]
    async fn never(&self, input: Missing) -> Missing {
        input
    }

    /// Never, by another attribute.
    #[cfg_attr(not(feature = "never"), cfg(feature = "never"))]
    #[skill(tags("a"))]
    async fn never_either(&self) {}

    /// Here, under a condition that holds.
    #[cfg(not(feature = "never"))]
    #[skill(tags("a"), default)]
    async fn here(&self) -> Result<Chunks, SkillError> {
        Err(SkillError::new("nothing"))
    }

    /// A skill on some systems only; a method on all.
    #[cfg_attr(feature = "never", skill(tags("a")), inline)]
    #[allow(dead_code, reason = "no skill here")]
    async fn not_a_skill(&self) {}

    /// One method, two skills that exclude each other.
    #[cfg_attr(feature = "never", skill(id = "is-never", tags("a")))]
    #[cfg_attr(not(feature = "never"), skill(id = "is-not-never", tags("a")), inline)]
    async fn either(&self) {}
}
