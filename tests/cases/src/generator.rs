//! Cases that go to the generator.
//!
//! Comes in: a proto text with a place for a method, and the method. Goes out: whether the
//! generator takes it. All of the generator runs, in memory, down to the text of the code.

use std::panic::{AssertUnwindSafe, catch_unwind};

use a2a_codegen::{Builder, Error};

use crate::answer::Answer;

/// Key of the proto text that methods are put into.
pub const PRELUDE: &str = "codegen_prelude";

/// What stands in it for the method.
const HOLE: &str = "%RPC%";

/// Generates code for a method.
///
/// # Errors
/// A sentence, when the prelude has no place for it, when the generator panics, or when it neither
/// writes code nor says what is wrong with the proto.
pub fn accepts(prelude: &str, method: &str) -> Result<Answer, String> {
    if !prelude.contains(HOLE) {
        return Err(format!("a text protos.{PRELUDE} without {HOLE}"));
    }
    let builder = Builder::new()
        .virtual_file("case.proto", prelude.replace(HOLE, method))
        .file("case.proto");
    match catch_unwind(AssertUnwindSafe(|| builder.generate())) {
        Err(_) => Err("a panic of the generator".to_owned()),
        Ok(Ok(_)) => Ok(Answer::Accepted),
        Ok(Err(Error::Input(faults))) if faults.iter().next().is_some() => Ok(Answer::Refused {
            status: 0,
            allow: Vec::new(),
            why: faults.to_string(),
        }),
        Ok(Err(other)) => Err(format!("neither code nor faults of the proto: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str =
        "syntax = \"proto3\"; package gen; message Req { string id = 1; } service S { %RPC% }";

    #[test]
    fn says_what_the_generator_did() {
        assert!(matches!(
            accepts(SMALL, "rpc R(Req) returns (Req);"),
            Ok(Answer::Accepted)
        ));
        let Ok(Answer::Refused { status: 0, why, .. }) =
            accepts(SMALL, "rpc R(Nope) returns (Req);")
        else {
            panic!("not refused")
        };
        assert!(why.contains("Nope"), "{why}");
        assert!(accepts("syntax = \"proto3\";", "rpc R(Req) returns (Req);").is_err());
    }
}
