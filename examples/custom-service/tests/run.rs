//! The program runs, and what it prints is what the proto says.

use std::process::Command;

#[test]
fn the_program_shows_the_wire() {
    let output = Command::new(env!("CARGO_BIN_EXE_custom-service"))
        .output()
        .expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    let mut rest = text.as_str();
    for line in [
        // A body field; the parent in the path, the rest in the query.
        "> POST /v1/warehouses/north/items?itemId=bolts%20m8",
        "> {\"title\":\"bolts M8 galvanised\",\"stock\":100,\"labels\":{\"thread\":\"M8\"}}",
        "< 200 OK",
        // A server stream.
        "> GET /v1/warehouses/north/items:watch",
        // Names that need escapes.
        "> GET /v1/warehouses/north/items/%E8%9E%BA%E4%B8%9D%3A1%25",
        "> GET /v1/warehouses/north/items?stockAtMost=100&words=bolts&words=M8",
        // The additional binding.
        "> GET /v1/items",
        "> PATCH /v1/warehouses/north/items/bolts%20m8?updateMask=stock",
        // A verb.
        "> POST /v1/warehouses/north/items/bolts%20m8:move",
        "> {\"destination\":\"warehouses/south\",\"pieces\":20}",
        "< 409 Conflict",
        "true {\"name\": \"warehouses/north/items/bolts m8\"}",
        "> DELETE /v1/warehouses/north/items/%E8%9E%BA%E4%B8%9D%3A1%25",
        "< {}",
        "< data: {\"deleted\":\"warehouses/north/items/螺丝:1%\"}",
        "5 changes",
    ] {
        let Some((_, behind)) = rest.split_once(&format!("{line}\n")) else {
            panic!("{line:?} is missing or in the wrong place in:\n{text}");
        };
        rest = behind;
    }
    assert_eq!(text.matches("> GET /v1/bolts").count(), 0, "{text}");
}
