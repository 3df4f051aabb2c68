//! Who speaks in a message.
//!
//! Comes in: the role of one version's proto. Goes out: that of the other one. Examples of v0.3
//! itself leave the role out, and v1.0 wants one: then it is that of the
//! [sender](crate::adapt::Options::sender), where the sender is known.

use crate::adapt::{Adapter, Refused, Sender};
use crate::{v0_3, v1_0};

/// A role that nobody said.
#[cfg(test)]
pub(super) const LOSSES: &[&str] = &["U8"];

/// The role of v1.0.
///
/// # Errors
/// When the number is no role.
pub(crate) fn up(role: i32, adapter: &Adapter) -> Result<i32, Refused> {
    match v0_3::Role::try_from(role) {
        Ok(v0_3::Role::User) => Ok(v1_0::Role::User.into()),
        Ok(v0_3::Role::Agent) => Ok(v1_0::Role::Agent.into()),
        Ok(v0_3::Role::Unspecified) => Ok(match of_sender(adapter) {
            Some(role) => {
                adapter.loss("U8", "no role is given: taken as that of the sender");
                role.into()
            }
            None => v1_0::Role::Unspecified.into(),
        }),
        Err(_) => Err(Refused::new(format!("the number {role} is no role"))),
    }
}

/// The role of v0.3.
///
/// # Errors
/// When the number is no role.
pub(crate) fn down(role: &i32, _: &Adapter) -> Result<i32, Refused> {
    match v1_0::Role::try_from(*role) {
        Ok(v1_0::Role::User) => Ok(v0_3::Role::User.into()),
        Ok(v1_0::Role::Agent) => Ok(v0_3::Role::Agent.into()),
        Ok(v1_0::Role::Unspecified) => Ok(v0_3::Role::Unspecified.into()),
        Err(_) => Err(Refused::new(format!("the number {role} is no role"))),
    }
}

/// The role of whoever sends what comes up.
pub(crate) fn of_sender(adapter: &Adapter) -> Option<v1_0::Role> {
    adapter.options().sender.map(|sender| match sender {
        Sender::Client => v1_0::Role::User,
        Sender::Agent => v1_0::Role::Agent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapt::{self, Options};

    fn sent_by(sender: Option<Sender>) -> Options {
        Options {
            sender,
            ..Options::default()
        }
    }

    #[test]
    fn who_says_no_role_speaks_as_the_sender() {
        for (sender, role, losses) in [
            (Some(Sender::Client), v1_0::Role::User, 1),
            (Some(Sender::Agent), v1_0::Role::Agent, 1),
            (None, v1_0::Role::Unspecified, 0),
        ] {
            let old = v0_3::Message::default();
            let (new, lost): (v1_0::Message, _) = adapt::up(old, &sent_by(sender)).unwrap();
            assert_eq!(new.role(), role);
            assert_eq!(lost.len(), losses);
            assert!(
                lost.iter()
                    .all(|loss| (loss.id, loss.path.as_str()) == ("U8", "role"))
            );
        }
    }

    #[test]
    fn who_says_a_role_is_believed() {
        for sender in [None, Some(Sender::Client), Some(Sender::Agent)] {
            let adapter = Adapter::new(sent_by(sender));
            for role in [1, 2] {
                assert_eq!(up(role, &adapter), Ok(role));
                assert_eq!(down(&role, &adapter), Ok(role));
            }
            assert_eq!(down(&0, &adapter), Ok(0));
            assert!(up(3, &adapter).is_err() && up(-1, &adapter).is_err());
            assert!(down(&3, &adapter).is_err());
            assert!(adapter.into_losses().is_empty());
        }
    }
}
