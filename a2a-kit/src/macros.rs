//! The attributes that make an agent of a struct, with their documentation.
//!
//! They are written in `a2a-macros`, where the kit does not exist; what shows them at work stands here.

/// Makes an agent of a struct. Its skills come from [`a2a_skills`](macro@crate::a2a_skills).
///
#[doc = include_str!("../attributes.md")]
pub use a2a_macros::a2a_agent;

/// Makes the methods of an `impl` block that have `#[skill(…)]` the skills of an agent. What the
/// attributes take is documented at [`a2a_agent`](macro@crate::a2a_agent).
///
/// ```
/// use a2a_kit::prelude::*;
///
/// /// Counts.
/// #[a2a_agent(name = "Counter")]
/// struct Counter;
///
/// #[a2a_skills]
/// impl Counter {
///     /// Counts the letters of a text.
///     #[skill(tags("text"))]
///     async fn count_letters(&self, text: Text) -> String {
///         text.chars().count().to_string()
///     }
/// }
///
/// assert_eq!(Counter::card().skills[0].name, "Count letters");
/// ```
pub use a2a_macros::a2a_skills;

/// Says that a method is a skill. It stands in a block with [`a2a_skills`](macro@crate::a2a_skills),
/// which reads it; anywhere else it is an error. What it takes is documented at
/// [`a2a_agent`](macro@crate::a2a_agent).
///
/// ```compile_fail
/// struct Counter;
///
/// impl Counter {
///     #[a2a_kit::skill(tags("text"))]
///     async fn count_letters(&self) {}
/// }
/// ```
pub use a2a_macros::skill;

/// Makes the variants of an enum [reasons](trait@crate::skills::Failure) for which a skill fails. What
/// it takes is documented at [`a2a_agent`](macro@crate::a2a_agent).
///
/// ```
/// use a2a_kit::prelude::*;
///
/// #[derive(Failure)]
/// enum Wrong {
///     /// The text is empty.
///     NoText,
/// }
///
/// assert_eq!(Wrong::NoText.into_error().message(), "The text is empty.");
/// ```
pub use a2a_macros::Failure;
