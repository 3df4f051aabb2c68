//! The demonstration runs, and prints what the README promises; the agent itself stops when asked to.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

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

#[cfg(unix)]
#[test]
fn the_agent_stops_when_it_is_asked_to() {
    let mut agent = Command::new(env!("CARGO_BIN_EXE_due-diligence"))
        .args(["--addr", "127.0.0.1:0"])
        .env_remove("A2A_PUBLIC_URL")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut lines = BufReader::new(agent.stdout.take().expect("its output is read")).lines();
    let card = lines.next().expect("a line").expect("UTF-8");
    let authority = card
        .strip_prefix("card  http://")
        .and_then(|rest| rest.strip_suffix("/.well-known/agent-card.json"))
        .unwrap_or_else(|| panic!("{card}"));
    // It answers, so it listens for signals as well.
    let mut stream = std::net::TcpStream::connect(authority).expect("it listens");
    let request =
        "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    std::io::Write::write_all(&mut stream, request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.contains("supplier-due-diligence"), "{answer}");
    let id = agent.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status();
    assert!(killed.expect("kill runs").success());
    assert!(agent.wait().expect("it ends").success());
}
