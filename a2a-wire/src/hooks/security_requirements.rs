//! Security requirements of cards and skills.
//!
//! Comes in: the list of one version. Goes out: that of the other one, without the requirements
//! that name a scheme which [did not come over](super::security_schemes). Such a requirement goes
//! as a whole: a part of it would ask for less. And where none would be left they all stay, though
//! nobody can meet them: a card that asks for nothing would say that anybody may call.

use crate::adapt::{Adapter, Down, Refused, Up};
use crate::{v0_3, v1_0};

/// The losses stand at the schemes.
#[cfg(test)]
pub(super) const LOSSES: &[&str] = &[];

/// Requirements of v1.0.
///
/// # Errors
/// None that the requirements themselves do not have.
pub(crate) fn up(
    mut requirements: Vec<v0_3::Security>,
    adapter: &Adapter,
) -> Result<Vec<v1_0::SecurityRequirement>, Refused> {
    if some_can_be_met(requirements.iter().map(|each| each.schemes.keys()), adapter) {
        requirements.retain(|each| can_be_met(each.schemes.keys(), adapter));
    }
    requirements.up(adapter)
}

/// Requirements of v0.3.
///
/// # Errors
/// None that the requirements themselves do not have.
pub(crate) fn down(
    requirements: &[v1_0::SecurityRequirement],
    adapter: &Adapter,
) -> Result<Vec<v0_3::Security>, Refused> {
    let all_stay = !some_can_be_met(requirements.iter().map(|each| each.schemes.keys()), adapter);
    let kept: Vec<_> = requirements
        .iter()
        .filter(|each| all_stay || can_be_met(each.schemes.keys(), adapter))
        .cloned()
        .collect();
    kept.down(adapter)
}

/// True when a requirement would be left. Takes the names in each of them.
pub(crate) fn some_can_be_met<'a>(
    requirements: impl IntoIterator<Item = impl IntoIterator<Item = &'a String>>,
    adapter: &Adapter,
) -> bool {
    let mut requirements = requirements.into_iter();
    requirements.any(|names| can_be_met(names, adapter))
}

/// True when all schemes of a requirement came over.
pub(crate) fn can_be_met<'a>(
    names: impl IntoIterator<Item = &'a String>,
    adapter: &Adapter,
) -> bool {
    names.into_iter().all(|name| !adapter.is_left_out(name))
}
