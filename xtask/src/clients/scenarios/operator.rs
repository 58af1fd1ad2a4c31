//! What the operator decides: by rules, by answers, and by words in the prompt.

use crate::clients::Session;
use crate::clients::stage::{ASKING, Stage};
use crate::external::create;
use crate::failure::Failure;

pub fn run_allowed_command(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let turn = stage.say("make the file", &[stage.allowed_call()])?;
    stage.expect_made(&turn)
}

/// Nothing else stops what the other scenarios see stopped.
pub fn run_without_hooks(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.write_seed()?;
    stage.agent.write_hooks(stage.folder(), &stage.workshop.program, &[])?;
    let turn = stage.say("copy the file", &[stage.agent.shell_call(ASKING)])?;
    stage.expect_made(&turn)
}

pub fn decline_outside(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let outside = stage.folder().path().join("outside");
    create(&outside)?;
    let call = stage.agent.outside_call(&outside);
    let turn =
        stage.say_while("make the file", &[call], |stage| stage.daemon.decline("not there"))?;
    match outside.join("made.txt").exists() {
        true => Err(Failure::new("the file was made outside of the workspace")),
        false => stage.expect_blocked(&turn),
    }
}

pub fn approve_edit(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let call = stage.agent.file_call(&stage.file());
    let turn = stage.say_while("make the file", &[call], |stage| stage.daemon.approve())?;
    stage.expect_made(&turn)
}

pub fn decline_edit(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let call = stage.agent.file_call(&stage.file());
    let turn =
        stage.say_while("make the file", &[call], |stage| stage.daemon.decline("not now"))?;
    stage.expect_blocked(&turn)
}

pub fn decline(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.write_seed()?;
    let note = "use the copy from yesterday";
    let call = stage.agent.shell_call(ASKING);
    let turn = stage.say_while("copy the file", &[call], |stage| stage.daemon.decline(note))?;
    stage.expect_blocked(&turn)?;
    turn.expect_heard(note)
}

pub fn approve(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.write_seed()?;
    let call = stage.agent.shell_call(ASKING);
    let turn = stage.say_while("copy the file", &[call], |stage| {
        let question = stage.daemon.wait_for_question()?;
        if stage.file().exists() {
            return Err(Failure::new("the call was carried out before the answer"));
        }
        stage.daemon.run(&["approve", &question]).map(drop)
    })?;
    stage.expect_made(&turn)
}

/// Nobody answers in time, so the program ends. The question stays open.
pub fn approve_later(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.write_seed()?;
    let call = [stage.agent.shell_call(ASKING)];
    let turn = stage.say("copy the file", &call)?;
    stage.expect_blocked(&turn)?;
    stage.daemon.approve()?;
    stage.session = Session::Last;
    let turn = stage.say("go on", &call)?;
    stage.expect_made(&turn)
}

/// The end of the program ends its session, so the command has to follow in the same turn.
pub fn grant_standing(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.write_seed()?;
    let call = stage.agent.shell_call(ASKING);
    let prompt = format!("Grant standing consent for: {ASKING}");
    let turn = stage.say(&prompt, &[call])?;
    stage.expect_made(&turn)
}

/// The operator's yes is for the project, so without the stop the command runs each time.
pub fn stop(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.write_seed()?;
    let call = [stage.agent.shell_call(ASKING)];
    let turn = stage.say_while("copy the file", &call, |stage| {
        let question = stage.daemon.wait_for_question()?;
        stage.daemon.run(&["approve", &question, "--project", "--confirm", "yes"]).map(drop)
    })?;
    stage.expect_made(&turn)?;
    stage.remove_file()?;
    let turn = stage.say("copy it again", &call)?;
    stage.expect_made(&turn)?;
    stage.remove_file()?;
    let turn = stage.say("stop", &call)?;
    stage.expect_blocked(&turn)
}
