//! The parameters of a skill together.

use a2a_wire::v1_0::Message;

use super::{Extract, Inputs, Misfit, Pending, Wants};
use crate::skills::sealed::Sealed;

impl Sealed for () {}

/// A skill that takes nothing but the context reads the message itself, so all parts are fine.
impl Inputs for () {
    fn wants() -> Wants {
        Wants {
            anything: true,
            ..Wants::default()
        }
    }

    fn extract(_: &Message) -> Result<Self, Misfit> {
        Ok(())
    }

    fn check(_: &Message) -> Result<(), Misfit> {
        Ok(())
    }
}

macro_rules! tuples {
    ($(($($type:ident $value:ident),+))*) => {$(
        impl<$($type: Extract),+> Sealed for ($($type,)+) {}

        impl<$($type: Extract),+> Inputs for ($($type,)+) {
            fn wants() -> Wants {
                let mut wants = Wants::default();
                $($type::describe(&mut wants);)+
                wants
            }

            fn extract(message: &Message) -> Result<Self, Misfit> {
                let mut parts = Pending::new(message);
                $(let $value = match $type::TAKES_REST {
                    true => None,
                    false => Some($type::extract(&mut parts)?),
                };)+
                $(let $value = match $value {
                    Some(value) => value,
                    None => $type::extract(&mut parts)?,
                };)+
                parts.finish(Self::wants)?;
                Ok(($($value,)+))
            }

            fn check(message: &Message) -> Result<(), Misfit> {
                let mut parts = Pending::new(message);
                for rest in [false, true] {
                    $(if $type::TAKES_REST == rest {
                        $type::check(&mut parts)?;
                    })+
                }
                parts.finish(Self::wants)
            }
        }
    )*};
}

tuples! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
    (A a, B b, C c, D d, E e, F f)
    (A a, B b, C c, D d, E e, F f, G g)
    (A a, B b, C c, D d, E e, F f, G g, H h)
}
