//! Resource names: texts such as `tasks/t1` that hold the ids of newer fields.
//!
//! Comes in: a text and its pattern, or ids. Goes out: the ids, or the text. A name is read whole,
//! from its first letter to its last, and an id holds no `/`.

use super::{Adapter, Refused};

/// The pattern of a resource name with `N` ids.
///
/// ```
/// use a2a_wire::adapt::Name;
///
/// const CONFIG: Name<2> = Name {
///     before: ["tasks/", "/pushNotificationConfigs/"],
///     after: "",
///     fields: ["taskId", "id"],
///     last_may_be_missing: true,
/// };
/// assert_eq!(CONFIG.read("tasks/t1/pushNotificationConfigs/c1")?, ["t1", "c1"]);
/// assert_eq!(CONFIG.read("tasks/t1/pushNotificationConfigs/")?, ["t1", ""]);
/// assert!(CONFIG.read("shared/tasks/t1/pushNotificationConfigs/c1").is_err());
/// assert_eq!(CONFIG.write(["t1", "c1"])?, "tasks/t1/pushNotificationConfigs/c1");
/// # Ok::<(), a2a_wire::adapt::Refused>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Name<const N: usize> {
    /// The text before each id.
    pub before: [&'static str; N],
    /// The text after the last id.
    pub after: &'static str,
    /// What the ids are called in JSON.
    pub fields: [&'static str; N],
    /// True when a name without its last id says that there is none.
    pub last_may_be_missing: bool,
}

impl<const N: usize> Name<N> {
    /// Takes a name apart.
    ///
    /// # Errors
    /// When it does not have this form.
    pub fn read(&self, name: &str) -> Result<[String; N], Refused> {
        let mut ids = [const { String::new() }; N];
        let mut rest = name;
        for (index, id) in ids.iter_mut().enumerate() {
            let is_last = index + 1 == N;
            rest = rest
                .strip_prefix(self.before[index])
                .ok_or_else(|| self.wrong(name))?;
            let end = if is_last {
                rest.strip_suffix(self.after).map(str::len)
            } else {
                rest.find(self.before[index + 1])
            };
            let found = end
                .and_then(|end| rest.get(..end))
                .filter(|found| !found.contains('/'))
                .ok_or_else(|| self.wrong(name))?;
            rest = &rest[found.len()..];
            // Two ways in which peers write that there is no id: nothing, and what Python prints.
            if is_last && self.last_may_be_missing && matches!(found, "" | "None") {
                continue;
            }
            if found.is_empty() {
                return Err(self.wrong(name));
            }
            *id = found.to_owned();
        }
        Ok(ids)
    }

    /// Puts a name together. A fault is at the field whose id cannot stand in a name.
    ///
    /// # Errors
    /// When an id is empty or holds a `/`.
    pub fn write(&self, ids: [&str; N]) -> Result<String, Refused> {
        let mut name = String::new();
        for (index, id) in ids.into_iter().enumerate() {
            let may_be_missing = index + 1 == N && self.last_may_be_missing;
            if id.is_empty() && !may_be_missing {
                return Err(Refused::at(self.fields[index], "must not be empty"));
            }
            if id.contains('/') {
                return Err(Refused::at(
                    self.fields[index],
                    "must not hold a `/`: the older version names resources by paths",
                ));
            }
            name.push_str(self.before[index]);
            name.push_str(id);
        }
        name.push_str(self.after);
        Ok(name)
    }

    #[cold]
    fn wrong(&self, name: &str) -> Refused {
        let mut form = String::new();
        for (before, field) in self.before.iter().zip(self.fields) {
            form.push_str(before);
            form.push_str(&format!("{{{field}}}"));
        }
        form.push_str(self.after);
        Refused::new(format!(
            "expected {form}, each id without `/`; found {:?}",
            crate::path::shortened(name, 100)
        ))
    }
}

impl Adapter {
    /// Gives a field the id that a resource name holds, unless it has one already.
    ///
    /// # Errors
    /// When it has another one: then nobody can tell which is meant.
    pub fn settle(&self, field: &mut String, id: String, path: &str) -> Result<(), Refused> {
        if field.is_empty() {
            *field = id;
        } else if !id.is_empty() && *field != id {
            return Err(Refused::at(
                path,
                format!(
                    "is {:?} here and {:?} in the resource name; send one id",
                    crate::path::shortened(field, 100),
                    crate::path::shortened(&id, 100)
                ),
            ));
        }
        Ok(())
    }
}
