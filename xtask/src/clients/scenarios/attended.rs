//! Somebody sits in front of the program: it asks in its own prompt, and our surfaces still work.

use crate::clients::stage::{ASKING, COLUMNS, Stage};
use crate::clients::terminal::Terminal;
use crate::failure::Failure;

/// What the program writes when its turn has ended.
const END: &str = "● done";

/// The program asks for different things by itself in each; our question is put in all of them.
const MODES: [&str; 4] = ["auto", "default", "plan", "acceptEdits"];

pub fn approve_in_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    for mode in MODES {
        let terminal = open_question_in(stage, mode)?;
        terminal.press("Enter")?;
        terminal.wait_for(END)?;
        expect_file(stage)?;
        stage.daemon.wait_until_settled()?;
        stage.remove_file()?;
    }
    Ok(())
}

pub fn decline_in_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let terminal = open_question(stage)?;
    terminal.press("Escape")?;
    terminal.wait_for("Interrupted")?;
    expect_no_file(stage)?;
    stage.daemon.wait_until_settled()?;
    expect_in_log(stage, "you declined it, on program")
}

/// With a note the program goes on, and ends no hook.
pub fn decline_with_note_in_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let terminal = open_question(stage)?;
    terminal.press("Down")?;
    terminal.wait_for("❯ 2. No")?;
    terminal.press("Tab")?;
    terminal.wait_for("2. No,")?;
    terminal.type_line("use the copy from yesterday")?;
    terminal.wait_for(END)?;
    expect_no_file(stage)?;
    stage.daemon.wait_until_settled()?;
    expect_in_log(stage, "with the note \"use the copy from yesterday\"")
}

pub fn approve_beside_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let terminal = open_question(stage)?;
    stage.daemon.approve()?;
    terminal.wait_for(END)?;
    expect_file(stage)
}

pub fn decline_beside_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let terminal = open_question(stage)?;
    stage.daemon.decline("use the copy from yesterday")?;
    terminal.wait_for(END)?;
    terminal.wait_for("use the copy from yesterday")?;
    expect_no_file(stage)
}

/// The model calls the command, and the program's prompt shows our question.
fn open_question(stage: &mut Stage<'_>) -> Result<Terminal, Failure> {
    open_question_in(stage, "default")
}

fn open_question_in(stage: &mut Stage<'_>, mode: &str) -> Result<Terminal, Failure> {
    stage.write_seed()?;
    let calls = [stage.agent.shell_call(ASKING)];
    let terminal = stage.open_terminal(&calls, COLUMNS, &["--permission-mode", mode])?;
    terminal.wait_for("❯")?;
    terminal.type_line("copy the file")?;
    terminal.wait_for("Countersign asks")?;
    terminal.wait_for("Do you want to proceed?")?;
    expect_no_file(stage)?;
    Ok(terminal)
}

fn expect_in_log(stage: &Stage<'_>, words: &str) -> Result<(), Failure> {
    let log = stage.daemon.run(&["log"])?;
    match log.contains(words) {
        true => Ok(()),
        false => Err(Failure::new(format!("the log does not say `{words}`:\n{log}"))),
    }
}

fn expect_file(stage: &Stage<'_>) -> Result<(), Failure> {
    match stage.file().exists() {
        true => Ok(()),
        false => Err(Failure::new("the call was not carried out")),
    }
}

fn expect_no_file(stage: &Stage<'_>) -> Result<(), Failure> {
    match stage.file().exists() {
        true => Err(Failure::new("the call was carried out")),
        false => Ok(()),
    }
}
