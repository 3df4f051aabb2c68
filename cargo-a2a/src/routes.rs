//! `cargo a2a routes`: how each operation is called, over each binding.
//!
//! Comes in: a version, by name or by the path of a proto. Goes out: for each operation its JSON-RPC
//! method, its gRPC path, its HTTP routes and its types, as text, Markdown or JSON.

use std::fmt::Write as _;
use std::path::PathBuf;

use a2a_codegen::model::{Api, Body, HttpBinding, Message, Method, Service};
use a2a_codegen::profile::JsonRpcMethods;
use serde::Serialize;

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::version::Loaded;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A version is a .proto file with its profile.toml beside it. The names 0.3 and 1.0 stand for the \
versions of A2A, which are built in.

  cargo a2a routes 1.0 --markdown
  cargo a2a routes proto/library.proto --include proto")]
pub(crate) struct Arguments {
    /// A .proto, or 0.3 or 1.0
    #[arg(value_name = "PROTO|VERSION")]
    source: String,
    /// A folder in which protos and their imports are looked up; that of the proto itself is one
    #[arg(long, value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a table in Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// The document. Its shape is stable: members may be added, none changes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    version: String,
    services: Vec<ServiceRows>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ServiceRows {
    name: String,
    operations: Vec<Row>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    json_rpc: Option<String>,
    grpc: String,
    http: Vec<Route>,
    request: String,
    response: String,
    stream: bool,
    capability: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Route {
    method: String,
    path: String,
    /// `*`, the name of a field, or none.
    body: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let document = document(&Loaded::read(&arguments.source, &arguments.include)?)?;
    if arguments.json {
        console.json(&serde_json::to_string(&document).map_err(Failure::tool)?)?;
    } else if arguments.markdown {
        console.print(&markdown(&document))?;
    } else {
        console.print(&text(&document))?;
    }
    Ok(Exit::Done)
}

fn document(version: &Loaded) -> Result<Document, Failure> {
    let services: Vec<ServiceRows> = version
        .api
        .services
        .iter()
        .map(|service| ServiceRows {
            name: service.proto_name.clone(),
            operations: service
                .methods
                .iter()
                .map(|method| row(version, service, method))
                .collect(),
        })
        .collect();
    if services.is_empty() {
        return Err(Failure::tool(format!(
            "{} declares no service, so nothing can be called",
            version.name
        )));
    }
    Ok(Document {
        version: version.name.clone(),
        services,
    })
}

fn row(version: &Loaded, service: &Service, method: &Method) -> Row {
    let (api, profile) = (&version.api, &version.profile);
    let added = profile.operation(service, &method.proto_name);
    let by_name =
        (profile.json_rpc.methods == JsonRpcMethods::RpcName).then(|| method.proto_name.clone());
    let request = api.messages.get(&method.request);
    Row {
        name: method.proto_name.clone(),
        json_rpc: added
            .and_then(|added| added.json_rpc_method.clone())
            .or(by_name),
        grpc: format!("/{}/{}", service.proto_name, method.proto_name),
        http: method
            .bindings
            .iter()
            .map(|binding| route(binding, request))
            .collect(),
        request: short(api, &method.request),
        response: short(api, &method.response),
        stream: method.server_streaming,
        capability: added.and_then(|added| added.capability.clone()),
    }
}

fn route(binding: &HttpBinding, request: Option<&Message>) -> Route {
    let body = match binding.body {
        Body::None => None,
        Body::All => Some("*".to_owned()),
        Body::Field(index) => request
            .and_then(|request| request.fields.get(index))
            .map(|field| field.json_name.clone()),
    };
    Route {
        method: binding.method.clone(),
        // `{id=*}` is what `{id}` means.
        path: binding.template.text.replace("=*}", "}"),
        body,
    }
}

/// The name of a message without its package, where that is the only one.
fn short(api: &Api, name: &str) -> String {
    api.messages
        .get(name)
        .and_then(|message| message.rust_path.last())
        .map_or_else(
            || name.rsplit('.').next().unwrap_or(name).to_owned(),
            Clone::clone,
        )
}

fn returns(row: &Row) -> String {
    if row.stream {
        format!("stream of {}", row.response)
    } else {
        row.response.clone()
    }
}

fn text(document: &Document) -> String {
    let mut out = String::new();
    for service in &document.services {
        let _ = writeln!(out, "{} ({})", service.name, document.version);
        for row in &service.operations {
            let _ = writeln!(out, "\n{}", row.name);
            let mut line = |label: &str, value: &str| {
                let _ = writeln!(out, "  {label:<10}{value}");
            };
            if let Some(method) = &row.json_rpc {
                line("JSON-RPC", method);
            }
            line("gRPC", &row.grpc);
            for (index, route) in row.http.iter().enumerate() {
                let label = if index == 0 { "HTTP" } else { "" };
                line(label, &format!("{} {}", route.method, route.path));
            }
            line("takes", &row.request);
            line("returns", &returns(row));
            if let Some(capability) = &row.capability {
                line("needs", &format!("the capability {capability}"));
            }
        }
        out.push('\n');
    }
    format!("{}\n", out.trim_end())
}

fn markdown(document: &Document) -> String {
    let mut out = String::new();
    for service in &document.services {
        let _ = write!(
            out,
            "## {} ({})\n\n| operation | JSON-RPC | gRPC | HTTP | takes | returns |\n|---|---|---|---|---|---|\n",
            service.name, document.version
        );
        for row in &service.operations {
            let routes: Vec<String> = row
                .http
                .iter()
                .map(|route| format!("`{} {}`", route.method, route.path))
                .collect();
            let method = row.json_rpc.as_ref();
            let _ = writeln!(
                out,
                "| {} | {} | `{}` | {} | {} | {} |",
                row.name,
                method.map_or_else(String::new, |method| format!("`{method}`")),
                row.grpc,
                routes.join("<br>"),
                row.request,
                returns(row),
            );
        }
        out.push('\n');
    }
    format!("{}\n", out.trim_end())
}
