//! The demonstration runs, and prints what the README promises.

use std::process::Command;

#[test]
fn the_demonstration_prints_its_trace() {
    let output = Command::new(env!("CARGO_BIN_EXE_due-diligence"))
        .arg("demo")
        .output()
        .expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert_eq!(
        String::from_utf8(output.stdout).expect("UTF-8"),
        "发现: 供应商尽调 Agent / supplier-due-diligence\n\
         协商: JSONRPC A2A 1.0\n\
         第一轮: TASK_STATE_INPUT_REQUIRED\n\
         第二轮: TASK_STATE_COMPLETED\n\
         供应商：星河科技\n\
         注册地区：中国\n\
         教学结论：未发现高风险项\n"
    );
}
