//! What answers without deciding: axum with JSON in and out, and a socket that echoes.

use super::{BenchResult, Context};
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::os::unix::net::UnixListener as Echoing;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tokio::net::UnixListener;
use tokio::runtime::Builder;
use xtask::failure::Failure;

/// What a check is made of, as far as it has to be read.
#[derive(Deserialize)]
struct Asked {
    session: String,
    actions: Vec<String>,
    target: String,
    wait_ms: u64,
    args: serde_json::Value,
}

#[derive(Serialize)]
struct Told {
    status: &'static str,
    operation_id: String,
}

async fn answer(Json(asked): Json<Asked>) -> Json<Told> {
    let known = asked.actions.len() + asked.session.len() + asked.target.len();
    let some = asked.args.as_object().map_or(0, serde_json::Map::len);
    let status = if known + some > 0 && asked.wait_ms == 0 { "allowed" } else { "pending" };
    Json(Told { status, operation_id: asked.target })
}

/// The other process: both sockets, until it is ended.
pub fn serve(folder: &Path) -> BenchResult<()> {
    let echo = Echoing::bind(folder.join("echo.sock")).context("a socket")?;
    std::thread::spawn(move || {
        for mut stream in echo.incoming().flatten() {
            let mut bytes = [0; 4096];
            while let Ok(many) = stream.read(&mut bytes) {
                let some = bytes.get(..many).unwrap_or_default();
                if many == 0 || stream.write_all(some).is_err() {
                    break;
                }
            }
        }
    });
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.context("a runtime")?;
    runtime.block_on(async {
        let listener = UnixListener::bind(folder.join("axum.sock")).context("a socket")?;
        println!("ready");
        let routes = Router::new().route("/v1/check", post(answer));
        axum::serve(listener, routes).await.context("serving")
    })
}

pub struct Bare {
    child: Child,
    folder: PathBuf,
}

impl Bare {
    pub fn start(folder: &Path) -> BenchResult<Self> {
        let this = std::env::current_exe().context("this program")?;
        let mut command = Command::new(this);
        command.arg("--bare").arg(folder).stdout(Stdio::piped());
        let mut child = command.spawn().context("the bare server")?;
        let stdout = child.stdout.take();
        let bare = Self { child, folder: folder.to_owned() };
        let mut first = [0; 6];
        let mut stdout = stdout.ok_or_else(|| Failure::new("no stdout"))?;
        stdout.read_exact(&mut first).context("what the bare server says")?;
        Ok(bare)
    }

    pub fn axum(&self) -> PathBuf {
        self.folder.join("axum.sock")
    }

    pub fn echo(&self) -> PathBuf {
        self.folder.join("echo.sock")
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}
