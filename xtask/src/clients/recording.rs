//! `recording`: the screen of Claude Code when its model wants to push, for the README's picture.
//!
//! The program and its prompt are real, and so are the hook and the coding graph. Only the model is
//! the stand-in, which calls what a model would call.

use super::Workshop;
use super::agent::Agent;
use super::stage::Stage;
use crate::external::options::SuiteOptions;
use crate::failure::{CiResult, Done, Failure};
use crate::options::parse_options;
use crate::pictures::{COLUMNS, RECORDED_SCREEN, Screen};
use crate::process::run_quietly;
use serde_json::json;
use std::path::Path;
use std::process::Command;

const PROMPT: &str = "The tests pass. Push it.";
const REMOTE: &str = "https://git.example.org/shop.git";

pub fn record_push(root: &Path, words: &[&str]) -> CiResult {
    let options = parse_options::<SuiteOptions>(words)?;
    let workshop = Workshop::open(root, options.find_program(root)?)?;
    let fail = |error: std::io::Error| Failure::new(format!("`{RECORDED_SCREEN}`: {error}"));
    let graph = std::fs::read_to_string(root.join("graphs/coding/countersign.yaml"));
    let mut stage = Stage::open_with_graph(&workshop, Agent::Claude, &graph.map_err(fail)?)?;
    let folder = stage.folder().work();
    run_quietly(
        Command::new("git").args(["remote", "add", "origin", REMOTE]).current_dir(&folder),
    )?;
    let push = json!({
        "tool": "Bash",
        "input": {"command": "git push origin main", "description": "Push the commits"},
    });
    let terminal = stage.open_terminal(&[push], COLUMNS, &["--permission-mode", "default"])?;
    terminal.wait_for("❯")?;
    terminal.type_line(PROMPT)?;
    terminal.wait_for("Countersign: ")?;
    terminal.wait_for("Do you want to proceed?")?;
    // It blinks.
    terminal.wait_for("● Pushing")?;
    let screen = terminal.capture_colors()?.replace(&*folder.to_string_lossy(), "~/shop");
    let text =
        cut_screen(&screen).ok_or_else(|| Failure::new("the prompt is not on the screen"))?;
    std::fs::write(root.join(RECORDED_SCREEN), text).map_err(fail)?;
    Ok(Done::new(format!("wrote {RECORDED_SCREEN}; now run `cargo xtask generate`")))
}

/// From the prompt on, without the empty rows at the end.
fn cut_screen(screen: &str) -> Option<String> {
    let lines: Vec<&str> = screen.lines().collect();
    let start = lines.iter().position(|line| line.contains(PROMPT))?;
    let end = lines.iter().rposition(|line| !Screen::parse(line).is_blank())?;
    Some(format!("{}\n", lines.get(start..=end)?.join("\n")))
}
