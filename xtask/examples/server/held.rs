//! Ten thousand requests that wait for an answer, and a thousand surfaces that look on.

use super::daemon::Daemon;
use super::line::{Line, field};
use super::{BenchResult, Context, Runs, world};
use std::path::Path;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::time::timeout;
use xtask::bench::runs::Extent;
use xtask::bench::server::HELD_MEMORY;
use xtask::failure::Failure;

/// Checks that are on their way at once.
const TOGETHER: usize = 64;

/// How long the daemon may take to open that many.
const PATIENCE: Duration = Duration::from_secs(60);

/// One agent asks everything, which is more than the daemon allows by itself.
const SETTINGS: &str = "[questions]\nper_session = 20000\nper_agent = 20000\nin_all = 20000\n";

pub fn run(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let (waiting, streams) = match runs.extent {
        Extent::Full => (10_000, 1_000),
        Extent::Quick => (1_000, 100),
    };
    let daemon = Daemon::start_with(folder, SETTINGS)?;
    let runtime = Builder::new_current_thread().enable_all().build().context("a runtime")?;
    runtime.block_on(hold(&daemon, waiting, streams))?;
    let (now, most) = (daemon.memory()?, daemon.most_memory()?);
    println!("Held, at most ever: {} KiB", most >> 10);
    let what = format!("Memory with {waiting} waiting requests and {streams} event streams");
    runs.report_count(&what, (now >> 10, HELD_MEMORY >> 10), "KiB");
    Ok(())
}

/// Everything is held, and then one that asked is answered and hears it.
async fn hold(daemon: &Daemon, waiting: usize, streams: usize) -> BenchResult<()> {
    let mut operator = Line::to(&daemon.operator()).await?;
    let mut opened = stream(daemon).await?;
    let (mut held, mut asked) = (Vec::with_capacity(waiting), 0);
    while held.len() < waiting {
        let mut line = Line::to(&daemon.agents()).await?;
        line.send(&world::ask(held.len())).await?;
        held.push(line);
        asked += 1;
        if asked == TOGETHER || held.len() == waiting {
            let all_opened = opened.lines("event: request_opened", asked);
            wait_for("a request that does not open", all_opened).await?;
            asked = 0;
        }
    }
    let mut looking = Vec::with_capacity(streams);
    for _ in 0..streams {
        looking.push(stream(daemon).await?);
    }
    answered(&mut operator, &mut held, &mut looking).await?;
    wait_for("the number of open requests", until_open(&mut operator, waiting - 1)).await
}

#[allow(clippy::disallowed_methods, reason = "a daemon that does not answer ends the benchmark")]
async fn wait_for<T>(what: &str, it: impl Future<Output = BenchResult<T>>) -> BenchResult<T> {
    timeout(PATIENCE, it).await.context(what)?
}

/// A surface that looks on from now.
async fn stream(daemon: &Daemon) -> BenchResult<Line> {
    let mut line = Line::to(&daemon.operator()).await?;
    line.send(&world::get("/v1/events")).await?;
    line.until("\r\n\r\n").await?;
    Ok(line)
}

async fn until_open(operator: &mut Line, number: usize) -> BenchResult<()> {
    loop {
        let answer = operator.ask(&world::get("/v1/status")).await?;
        let status: serde_json::Value = serde_json::from_str(answer).context("the status")?;
        let open = status.get("open_requests").and_then(serde_json::Value::as_u64);
        let open = open.ok_or_else(|| Failure::new(format!("no number in {answer}")))?;
        if open == number as u64 {
            return Ok(());
        }
    }
}

async fn answered(
    operator: &mut Line,
    held: &mut Vec<Line>,
    looking: &mut [Line],
) -> BenchResult<()> {
    let answer = operator.ask(&world::get("/v1/requests")).await?;
    let all: serde_json::Value = serde_json::from_str(answer).context("the requests")?;
    let cards = all.get("requests").and_then(serde_json::Value::as_array);
    let card = cards.and_then(|cards| cards.first());
    let card = card.ok_or_else(|| Failure::new("nothing is listed"))?;
    let number = asked_by(&card.to_string())?;
    let id = card.get("request").and_then(serde_json::Value::as_str).unwrap_or_default();
    let digest = card.get("digest").cloned().unwrap_or_default();
    let body = serde_json::json!({"digest": digest, "choice": "once"}).to_string();
    let path = format!("/v1/requests/{id}/answer");
    operator.ask(&world::post(&path, &body)).await?;
    let mut line = held.swap_remove(number);
    let status = field(line.answer().await?, "status")?.to_owned();
    if status != "allowed" {
        return Err(Failure::new(format!("a yes was heard as `{status}`")));
    }
    for line in looking {
        line.until("request_answered").await?;
    }
    Ok(())
}

/// Whose request a card is about.
fn asked_by(card: &str) -> BenchResult<usize> {
    let rest = card.split_once("minutes-").map(|(_, rest)| rest).unwrap_or_default();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().context("whose request it is")
}
