//! Collects required fields that are missing, with their JSON paths.

/// One fault of a message, in the words of `google.rpc.BadRequest.FieldViolation`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON path of the field, for example `message.parts[0].url`.
    pub field: String,
    /// What is wrong and what is expected.
    pub description: String,
}

/// The faults found so far, and the place where the check stands.
#[derive(Debug, Default)]
pub struct Violations {
    /// The faults.
    pub found: Vec<Violation>,
}
