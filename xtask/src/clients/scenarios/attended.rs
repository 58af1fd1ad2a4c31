//! Somebody sits in front of the program: it asks in its own prompt, and our surfaces still work.

use crate::clients::stage::{ASKING, COLUMNS, Stage};
use crate::external::terminal::Terminal;
use crate::failure::Failure;

/// What the program writes when its turn has ended.
const END: &str = "● done";

/// What the program's own prompt ends with.
const QUESTION: &str = "Do you want to proceed?";

/// The same about an edit.
const EDIT_QUESTION: &str = "Do you want to create";

/// The program asks for different things by itself in each; our question is put in all of them.
const MODES: [&str; 4] = ["auto", "default", "plan", "acceptEdits"];

pub fn approve_in_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    for mode in MODES {
        let terminal = open_question_in(stage, mode, ASKING)?;
        terminal.press_until_gone("Enter", QUESTION)?;
        terminal.wait_for(END)?;
        expect_file(stage)?;
        stage.daemon.wait_until_settled()?;
        stage.remove_file()?;
    }
    Ok(())
}

pub fn decline_in_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    for (number, mode) in MODES.into_iter().enumerate() {
        // A declined command is not asked about again.
        let terminal = open_question_in(stage, mode, &format!("cp {mode}.txt made.txt"))?;
        terminal.press_until_gone("Escape", QUESTION)?;
        terminal.wait_for("Interrupted")?;
        expect_no_file(stage)?;
        stage.daemon.wait_until_settled()?;
        let declined =
            stage.daemon.run(&["log", "--verbose"])?.matches("in the program's own prompt").count();
        if declined != number + 1 {
            return Err(Failure::new(format!("in the mode {mode} the no is not on record")));
        }
    }
    Ok(())
}

/// With a note the program goes on, and ends no hook.
pub fn decline_with_note_in_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let terminal = open_question(stage)?;
    terminal.press_until_gone("Down", "❯ 1. Yes")?;
    terminal.wait_for("❯ 2. No")?;
    terminal.press("Tab")?;
    terminal.wait_for("2. No,")?;
    terminal.type_text("use the copy from yesterday")?;
    terminal.press_until_gone("Enter", QUESTION)?;
    terminal.wait_for(END)?;
    expect_no_file(stage)?;
    stage.daemon.wait_until_settled()?;
    expect_in_log(stage, "you said: use the copy from yesterday")
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
    open_question_in(stage, "default", ASKING)
}

fn open_question_in(stage: &mut Stage<'_>, mode: &str, line: &str) -> Result<Terminal, Failure> {
    stage.write_seed()?;
    let calls = [stage.agent.shell_call(line)];
    let terminal = stage.open_terminal(&calls, COLUMNS, &["--permission-mode", mode])?;
    terminal.wait_for("❯")?;
    terminal.type_line("copy the file")?;
    terminal.wait_for("Countersign: ")?;
    terminal.wait_for(QUESTION)?;
    expect_no_file(stage)?;
    Ok(terminal)
}

/// An edit, also in the modes in which the program makes edits without a question of its own. Its
/// prompt shows the edit and not our lines.
pub fn approve_edit_in_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    for mode in ["acceptEdits", "default", "auto"] {
        let calls = [stage.agent.file_call(&stage.file())];
        let terminal = stage.open_terminal(&calls, COLUMNS, &["--permission-mode", mode])?;
        terminal.wait_for("❯")?;
        terminal.type_line("make the file")?;
        terminal.wait_for(EDIT_QUESTION)?;
        stage.daemon.wait_for_question()?;
        expect_no_file(stage)?;
        terminal.press_until_gone("Enter", EDIT_QUESTION)?;
        terminal.wait_for(END)?;
        expect_file(stage)?;
        stage.daemon.wait_until_settled()?;
        stage.remove_file()?;
    }
    Ok(())
}

/// The standing command of a conversation that is cleared is offered to the next one.
pub fn clear_conversation(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.write_seed()?;
    let terminal = stage.open_terminal(&[], COLUMNS, &["--permission-mode", "default"])?;
    terminal.wait_for("❯")?;
    terminal.type_line(&format!("Grant standing consent for: {ASKING}"))?;
    terminal.wait_for("Granted standing consent")?;
    terminal.wait_for(END)?;
    terminal.type_line("/clear")?;
    let question = stage.daemon.wait_for_question()?;
    let card = stage.daemon.run(&["show", &question])?;
    match card.contains(ASKING) {
        true => Ok(()),
        false => Err(Failure::new(format!("the question is about something else:\n{card}"))),
    }
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
