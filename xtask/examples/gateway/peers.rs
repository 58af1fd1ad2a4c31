//! Proxies that others publish, installed by name and version, in front of the same tool server.
//!
//! Each in a folder of its own, because their packages exclude each other. One that cannot be
//! installed or started is named as absent, and gives no verdict.

use super::client::ToolClient;
use super::http::{HttpClient, free_port};
use super::stdio::StdioClient;
use super::{BenchResult, Context, programs};
use serde_json::json;
use std::path::Path;
use std::process::Command;
use xtask::bench::gateway::{FASTMCP, MCP_PROXY, SUPERGATEWAY};
use xtask::external::packages::{NODE, PackageSet, Packages};
use xtask::steps;

const MCP_PROXY_PACKAGES: PackageSet =
    PackageSet { folder: "target/mcp-proxies/mcp-proxy", npm: &[], pypi: &["mcp-proxy==0.13.0"] };
const FASTMCP_PACKAGES: PackageSet =
    PackageSet { folder: "target/mcp-proxies/fastmcp", npm: &[], pypi: &["fastmcp==4.1.2"] };
const SUPERGATEWAY_PACKAGES: PackageSet = PackageSet {
    folder: "target/mcp-proxies/supergateway",
    npm: &[NODE, "supergateway@4.0.0"],
    pypi: &[],
};

type Peer = (&'static str, Box<dyn ToolClient>);

/// Those that could be started.
pub fn start_peers(folder: &Path) -> Vec<Peer> {
    let mut peers = Vec::new();
    for (name, started) in [
        (MCP_PROXY, start_mcp_proxy(folder)),
        (FASTMCP, start_fastmcp(folder)),
        (SUPERGATEWAY, start_supergateway(folder)),
    ] {
        match started {
            Ok(client) => peers.push((name, client)),
            Err(failure) => println!("{name} is absent: {failure}\n"),
        }
    }
    peers
}

fn start_mcp_proxy(folder: &Path) -> BenchResult<Box<dyn ToolClient>> {
    let packages = Packages::install(&steps::root(), &MCP_PROXY_PACKAGES)?;
    let port = free_port()?;
    let mut command = prepare(packages.python_program("mcp-proxy"), folder);
    command.args(["--log-level", "ERROR", "--port", &port.to_string(), "--"]);
    Ok(Box::new(HttpClient::connect(command.arg(programs::tool_server()?), port)?))
}

fn start_fastmcp(folder: &Path) -> BenchResult<Box<dyn ToolClient>> {
    let packages = Packages::install(&steps::root(), &FASTMCP_PACKAGES)?;
    let config = folder.join("fastmcp.mcp.json");
    let server = json!({"command": programs::tool_server()?, "args": []});
    let text = json!({"mcpServers": {"tools": server}}).to_string();
    std::fs::write(&config, text).context("the configuration of fastmcp")?;
    let mut command = prepare(packages.python_program("fastmcp"), folder);
    command.arg("run").arg(config);
    command.args(["--transport", "stdio", "--no-banner", "--log-level", "ERROR"]);
    Ok(Box::new(StdioClient::connect(&mut command)?))
}

fn start_supergateway(folder: &Path) -> BenchResult<Box<dyn ToolClient>> {
    let packages = Packages::install(&steps::root(), &SUPERGATEWAY_PACKAGES)?;
    let port = free_port()?;
    let mut command = prepare(packages.node(), folder);
    command.arg(packages.npm_file("supergateway/dist/index.js"));
    command.arg("--stdio").arg(programs::tool_server()?);
    command.args(["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"]);
    Ok(Box::new(HttpClient::connect(command.args(["--port", &port.to_string()]), port)?))
}

/// With none of the settings of the user who measures.
fn prepare(program: impl AsRef<Path>, folder: &Path) -> Command {
    let mut command = Command::new(program.as_ref());
    command.env_clear().env("HOME", folder).env("PATH", "/usr/bin:/bin").current_dir(folder);
    command
}
