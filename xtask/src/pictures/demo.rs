//! Runs the demo at a terminal, and cuts what it shows into frames: one before each answer and one
//! after each part.

use super::screen::Screen;
use super::stand_ins::StandIns;
use super::{COLUMNS, ROWS};
use crate::failure::Failure;
use crate::process::{capture, cargo, run};
use std::path::Path;
use std::process::{Command, Stdio};

/// The lines before which a frame ends. The demo's own tests know the same lines.
const CUTS: [&str; 5] = ["3. ", "> once", "4. ", "> n: ", "Afterwards: "];

/// Runs the demo in a pseudo-terminal of `script`. Root runs it as another user: the agent is named
/// after the number of its user, and the layout depends on how long that is.
pub fn run_at_terminal(root: &Path) -> Result<String, Failure> {
    run(&mut cargo(root, &["build", "--quiet", "--bin", "countersign"]))?;
    let program = root.join("target/debug/countersign");
    let is_root = capture(Command::new("id").arg("-u"))?.trim() == "0";
    let user = if is_root { "setpriv --reuid=1000 --regid=1000 --clear-groups " } else { "" };
    let program = program.display();
    let line = format!("stty cols {COLUMNS} rows {ROWS} && exec {user}'{program}' demo --auto");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    script.stdin(Stdio::null()).env_clear().envs([
        ("HOME", "/nonexistent"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("TERM", "xterm-256color"),
        ("TMPDIR", "/tmp"),
    ]);
    capture(&mut script)
}

pub fn cut_frames(mut screen: Screen) -> Result<Vec<Screen>, Failure> {
    let mut stand_ins = StandIns::default();
    for run in screen.lines.iter_mut().flat_map(|line| &mut line.runs) {
        run.text = stand_ins.replace(&run.text);
    }
    let mut frames = Vec::new();
    for cut in CUTS {
        let end = screen.lines.iter().position(|line| line.plain_text().starts_with(cut));
        let end = end.ok_or_else(|| Failure::new(format!("the demo has no line `{cut}`")))?;
        let lines = screen.lines.iter().take(end).cloned().collect();
        frames.push(Screen { lines });
    }
    frames.push(screen);
    Ok(frames.into_iter().map(|frame| frame.wrap(COLUMNS).last_rows(ROWS)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_ends_before_each_answer_and_after_each_part() {
        let text = "hello\n3. push\n> once\n4. pay\n> n: no\nAfterwards: why\nend\n";
        let frames = cut_frames(Screen::parse(text)).unwrap();
        let ends: Vec<String> = frames
            .iter()
            .map(|frame| frame.lines.last().map(super::super::screen::Line::plain_text).unwrap())
            .collect();
        assert_eq!(ends, ["hello", "3. push", "> once", "4. pay", "> n: no", "end"]);
        assert!(cut_frames(Screen::parse("hello\n")).is_err());
    }
}
