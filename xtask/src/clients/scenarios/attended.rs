//! Somebody sits in front of the program: it asks in its own prompt, and our surfaces still work.

use crate::clients::stage::{ASKING, COLUMNS, Stage};
use crate::clients::terminal::Terminal;
use crate::failure::Failure;

/// What the program writes when its turn has ended.
const END: &str = "● done";

pub fn approve_in_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let terminal = open_question(stage)?;
    terminal.press("Enter")?;
    terminal.wait_for(END)?;
    expect_file(stage)?;
    stage.daemon.wait_until_settled()
}

pub fn decline_in_prompt(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let terminal = open_question(stage)?;
    terminal.press("Escape")?;
    terminal.wait_for("Interrupted")?;
    expect_no_file(stage)?;
    stage.daemon.wait_until_settled()
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
    stage.write_seed()?;
    let terminal = stage.open_terminal(&[stage.agent.shell_call(ASKING)], COLUMNS)?;
    terminal.wait_for("❯")?;
    terminal.type_line("copy the file")?;
    terminal.wait_for("Countersign asks")?;
    terminal.wait_for("Do you want to proceed?")?;
    expect_no_file(stage)?;
    Ok(terminal)
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
