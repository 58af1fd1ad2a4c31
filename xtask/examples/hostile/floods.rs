//! Rows in which an agent, or nobody in particular, sends too much: the operator still gets answers.

use super::daemon::Daemon;
use super::world::{Checked, WRITE, call, check, list_requests};
use super::{PATIENCE, Site, TrialResult};
use countersign_client::Connection;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use xtask::bench::runs::Context;
use xtask::clock::Stopwatch;
use xtask::failure::Failure;
use xtask::hostile::{Finding, Verdict};

/// What the operator waits at most.
const LIMIT: Duration = Duration::from_secs(1);
/// Questions of one session at a time, as the daemon limits them by itself.
const OPEN_PER_SESSION: u64 = 10;
/// Callers that ask at the same time.
const CALLERS: usize = 4;

pub fn ask_many_questions(site: &Site<'_>) -> TrialResult<Finding> {
    let node = site.start_node("one", super::world::GRAPH)?;
    let (flooder, other) = (node.add_agent("flooder")?, node.add_agent("other")?);
    let wanted = site.extent.choose(150, 1_000);
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let operator = node.operator();
    let (looks, slowest) = std::thread::scope(|scope| {
        let callers: Vec<_> =
            (0..CALLERS).map(|_| scope.spawn(|| ask_until(&flooder, &next, wanted))).collect();
        let looking = scope.spawn(|| look_until(&operator, &is_over));
        let failed = callers.into_iter().filter_map(|caller| caller.join().err()).count();
        is_over.store(true, Ordering::SeqCst);
        let looked = looking.join().map_err(|_| Failure::new("a thread panicked"))?;
        if failed > 0 { Err(Failure::new("a thread panicked")) } else { looked }
    })?;
    let open = operator.get("/v1/status").context("the status")?;
    let open = open.get("open_requests").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let is_heard = check(&other, &call("other", WRITE, 1)).is_pending()
        && check(&flooder, &call("beside", WRITE, 1)).is_pending();
    let heard = if is_heard { "others can ask" } else { "another agent or session cannot ask" };
    let is_bounded = open <= OPEN_PER_SESSION;
    Ok(Finding {
        tried: format!(
            "{wanted} different questions of one session; {looks} looks of the operator"
        ),
        found: format!("slowest look {} ms; {open} open; {heard}", slowest.as_millis()),
        verdict: Verdict::from(slowest <= LIMIT && is_bounded && is_heard),
    })
}

fn ask_until(agent: &Connection, next: &AtomicUsize, wanted: usize) {
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= wanted {
            return;
        }
        // Refusals are what is hoped for.
        let _checked = check(agent, &call("flood", WRITE, number));
    }
}

/// How often the operator looked, and how long the slowest look took.
fn look_until(operator: &Connection, is_over: &AtomicBool) -> TrialResult<(usize, Duration)> {
    let (mut looks, mut slowest) = (0, Duration::ZERO);
    while !is_over.load(Ordering::SeqCst) {
        slowest = slowest.max(time_looks(operator)?);
        looks += 2;
    }
    Ok((looks, slowest))
}

/// The slower of the two things that every surface reads.
fn time_looks(operator: &Connection) -> TrialResult<Duration> {
    let mut slowest = Duration::ZERO;
    for path in ["/v1/requests", "/v1/status"] {
        let watch = Stopwatch::start();
        operator.get(path).context("a look of the operator")?;
        slowest = slowest.max(watch.elapsed());
    }
    Ok(slowest)
}

pub fn open_idle_connections(site: &Site<'_>) -> TrialResult<Finding> {
    let node = site.start_node("one", super::world::GRAPH)?;
    let wanted = site.extent.choose(50, 500);
    let mut idle = Vec::with_capacity(wanted);
    for _ in 0..wanted {
        idle.push(TcpStream::connect(node.agent_port()).context("an idle connection")?);
    }
    let (mut slowest, mut looks) = (Duration::ZERO, 0);
    for _ in site.extent.rounds(5, 50) {
        slowest = slowest.max(time_looks(&node.operator())?).max(time_port_look(&node)?);
        looks += 3;
    }
    let kept = idle.len();
    drop(idle);
    Ok(Finding {
        tried: format!(
            "{kept} idle connections to the agents' port; {looks} looks of the operator"
        ),
        found: format!("slowest look {} ms, on the socket and on the port", slowest.as_millis()),
        verdict: Verdict::from(slowest <= LIMIT),
    })
}

/// The status over the operator's port, with the operator's token.
fn time_port_look(node: &Daemon) -> TrialResult<Duration> {
    let token = std::fs::read_to_string(node.data().join("operator.token"));
    let token = token.context("the operator's token")?;
    let (port, token) = (node.operator_port(), token.trim());
    let watch = Stopwatch::start();
    let mut stream = TcpStream::connect(port).context("the operator's port")?;
    stream.set_read_timeout(Some(PATIENCE)).context("a limit for reading")?;
    let request = format!(
        "GET /v1/status HTTP/1.1\r\nhost: {port}\r\nauthorization: Bearer {token}\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).context("a request")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).context("an answer")?;
    let took = watch.elapsed();
    match answer.starts_with("HTTP/1.1 200") {
        true => Ok(took),
        false => Err(Failure::new(format!("the operator's port refused: {answer}"))),
    }
}

pub fn ask_large_questions(site: &Site<'_>) -> TrialResult<Finding> {
    let node = site.start_node("one", super::world::GRAPH)?;
    let (mut asked, wanted) = (0, 5);
    for number in 0..wanted {
        let text = format!("{number}{}", "x".repeat(900_000));
        let body = json!({"session": "large", "actions": [WRITE], "args": {"text": text}});
        asked += usize::from(matches!(check(&node.agent(), &body), Checked::Pending { .. }));
    }
    let watch = Stopwatch::start();
    let output = node.run(&["ls"])?;
    let took = watch.elapsed();
    let listed = list_requests(&node.operator())?.len();
    let is_listed = output.status.success();
    let how = match is_listed {
        true => "`ls` works".to_owned(),
        false => format!("`ls` failed: {}", String::from_utf8_lossy(&output.stderr).trim()),
    };
    Ok(Finding {
        tried: format!("{wanted} questions with 900 kB of arguments, then `countersign ls`"),
        found: format!(
            "{asked} asked; {how} in {} ms; {listed} on the first page",
            took.as_millis()
        ),
        verdict: Verdict::from(is_listed && asked == wanted && listed > 0),
    })
}
