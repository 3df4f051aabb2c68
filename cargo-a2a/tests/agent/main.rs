//! The commands that talk to agents, as processes, against agents on loopback: one that `cargo a2a
//! serve` serves, and ones that do nothing but harm.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

mod calls;
mod cards;
mod hostile;
mod leaving;

/// Runs the command to its end.
fn a2a(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command runs")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-a2a"));
    command.args(arguments).stdin(Stdio::null());
    for name in ["A2A_BEARER", "A2A_API_KEY", "HTTP_PROXY", "http_proxy"] {
        command.env_remove(name);
    }
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = a2a(arguments);
    (
        output.status.code().expect("an exit code"),
        text(&output.stdout).to_owned(),
        text(&output.stderr).to_owned(),
    )
}

/// A command that serves, for as long as the test runs.
struct Served {
    child: Child,
    out: BufReader<ChildStdout>,
    url: String,
}

impl Served {
    /// The echo agent.
    fn echo(more: &[&str]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"], more].concat();
        Self::start(&arguments)
    }

    fn start(arguments: &[&str]) -> Self {
        let mut child = command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command runs");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut url = String::new();
        out.read_line(&mut url).expect("its first line");
        let url = url.trim().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Self { child, out, url }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("a line");
        line
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A peer that answers each connection as it is told, whatever is asked.
fn peer(answer: impl Fn(&str, &mut dyn std::io::Write) + Send + 'static) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = BufReader::new(stream);
            let Some(request) = request(&mut stream) else {
                continue;
            };
            answer(&request, stream.get_mut());
            let _ = stream.get_mut().flush();
        }
    });
    url
}

/// The head and body of a request.
fn request(stream: &mut BufReader<std::net::TcpStream>) -> Option<String> {
    let mut request = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
        request.push_str(&line);
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    request.push_str(&String::from_utf8_lossy(&body));
    Some(request)
}

/// Answers with a JSON text.
fn json(out: &mut dyn std::io::Write, json: &str) {
    let _ = write!(
        out,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{json}",
        json.len()
    );
}

/// The host of a request.
fn host(request: &str) -> String {
    let line = request
        .lines()
        .find(|line| line.to_ascii_lowercase().starts_with("host:"))
        .expect("a host");
    line.split_once(':').expect("a colon").1.trim().to_owned()
}

/// The card of a peer that speaks JSON-RPC.
fn card(request: &str) -> String {
    let host = host(request);
    serde_json::json!({
        "name": "Peer", "description": "Does harm.", "version": "1",
        "supportedInterfaces": [{ "url": format!("http://{host}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "s", "name": "S", "description": "D", "tags": ["t"] }],
    })
    .to_string()
}

/// A peer with a card, whose calls are answered with this result, as a task or a message.
fn answering(result: impl Fn() -> serde_json::Value + Send + 'static) -> String {
    peer(move |request, out| {
        if request.starts_with("GET") {
            return json(out, &card(request));
        }
        let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let call: serde_json::Value = serde_json::from_str(body).expect("a call");
        let mut answer = result();
        answer["jsonrpc"] = "2.0".into();
        answer["id"] = call["id"].clone();
        json(out, &answer.to_string());
    })
}
