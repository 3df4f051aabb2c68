//! Wrong attributes: one fault a file, and what is said about it.

#[test]
fn each_fault_is_told_at_its_token_with_what_to_write() {
    // Written again with `TRYBUILD=overwrite cargo test -p macros --test fail`.
    trybuild::TestCases::new().compile_fail("fail/*.rs");
}
