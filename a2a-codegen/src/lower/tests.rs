//! What lowering makes of schemas, and what it says about wrong ones.

use super::lower;
use crate::load::{Loaded, Sources, load_protos};
use crate::model::Api;
use crate::profile::{Profile, read_profile};

mod bindings;
mod faults;
mod files;
mod mutations;
mod names;
mod profiles;
mod shapes;

/// Loads one file, `t.proto`.
fn load(text: &str) -> Loaded {
    load_protos(&Sources::new().virtual_file("t.proto", text).file("t.proto"))
        .expect("the schema loads")
}

fn lower_text(text: &str) -> Api {
    lower(&load(text), &Profile::default()).expect("the schema lowers")
}

fn faults_of(text: &str) -> String {
    lower(&load(text), &Profile::default())
        .expect_err("the schema is wrong")
        .to_string()
}

/// A file of the package `p` with these declarations on line 2.
fn file(declarations: &str) -> String {
    format!(
        "syntax = \"proto3\"; package p; import \"google/api/annotations.proto\"; import \"google/api/field_behavior.proto\";\n{declarations}"
    )
}

/// A schema with one rpc, `gen.S.R`, whose HTTP rule this is; the rule stands on line 15, from
/// column 31 on.
fn with_rule(rule: &str) -> String {
    PRELUDE.replace("%RULE%", rule)
}

const PRELUDE: &str = r#"syntax = "proto3";
package gen;
import "google/api/annotations.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/struct.proto";
message Sub { string b = 1; Sub next = 2; repeated Sub subs = 3; oneof which { int32 one = 4; int32 two = 5; } }
enum Kind { KIND_UNSPECIFIED = 0; }
message Req {
  string id = 1; string name = 2; string a = 3; bytes raw = 4; Kind kind = 5;
  repeated string tags = 6; Sub sub_message = 7; map<string, string> labels = 8;
  google.protobuf.Timestamp at = 9; google.protobuf.Value any = 10; optional int32 maybe = 11;
  oneof pick { string by_name = 12; int32 by_number = 13; }
}
message Res { string id = 1; repeated Sub subs = 2; }
service S { rpc R(Req) returns (Res) {
  option (google.api.http) = { %RULE% };
} }
"#;

fn rule_faults(rule: &str) -> String {
    faults_of(&with_rule(rule))
}

fn profile(text: &str) -> Profile {
    read_profile(text, "profile.toml").expect("the profile reads")
}
