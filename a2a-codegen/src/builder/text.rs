//! Texts beside the schemas, profiles and rules: on disk, in memory, or none.

use std::path::PathBuf;

use super::{Error, file_name};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::Origin;

/// Where a text is.
#[derive(Debug, Clone)]
pub(super) enum TextSource {
    None,
    File(PathBuf),
    Text { name: String, text: String },
}

impl TextSource {
    /// What the text says; where there is none, what nothing says.
    pub(super) fn read<T: Default>(
        &self,
        parse: impl Fn(&str, &str) -> Result<T, Diagnostics>,
    ) -> Result<T, Error> {
        match self {
            Self::None => Ok(T::default()),
            Self::Text { name, text } => Ok(parse(text, name)?),
            Self::File(path) => {
                let name = path.display().to_string();
                match std::fs::read_to_string(path) {
                    Ok(text) => Ok(parse(&text, &name)?),
                    Err(error) => {
                        let origin = Origin {
                            file: name.into(),
                            ..Origin::default()
                        };
                        let message = format!("cannot be read: {error}");
                        Err(Diagnostics::from(Diagnostic::new(origin, message)).into())
                    }
                }
            }
        }
    }

    /// Notes its name for the header of what is made from it, and the file for cargo.
    pub(super) fn named(&self, sources: &mut Vec<String>, inputs: &mut Vec<PathBuf>) {
        match self {
            Self::None => {}
            Self::File(path) => {
                inputs.push(path.clone());
                sources.push(file_name(path));
            }
            Self::Text { name, .. } => sources.push(name.clone()),
        }
    }
}
