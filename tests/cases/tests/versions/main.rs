//! Properties of the way between v0.3 and v1.0, for every message and in both languages of v0.3.

mod differences;
mod hostile;
mod kinds;
mod made;
mod properties;
mod rules;
