//! The scenarios, each with both programs.

use super::agent::Session;
use super::stage::Stage;
use crate::failure::Failure;
use serde_json::json;
use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::thread;

pub struct Scenario {
    pub name: &'static str,
    pub play: fn(&mut Stage<'_>) -> Result<(), Failure>,
}

pub const SCENARIOS: &[Scenario] = &[
    Scenario { name: "an allowed command runs", play: run_allowed_command },
    Scenario { name: "an allowed edit is made", play: make_allowed_edit },
    Scenario {
        name: "a declined command does not run, and the model reads the note",
        play: decline,
    },
    Scenario { name: "a command waits and runs after the yes", play: approve },
    Scenario { name: "a standing command typed in the prompt runs unasked", play: grant_standing },
    Scenario { name: "after stop typed in the prompt nothing runs", play: stop },
    Scenario {
        name: "a command does not run if the daemon dies while it waits",
        play: kill_daemon,
    },
    Scenario { name: "nothing runs without the hook's program", play: remove_program },
    Scenario { name: "nothing runs if something else answers at the socket", play: answer_garbage },
    Scenario { name: "a call of a wrapped server is asked about once", play: ask_once },
    Scenario { name: "init connects the program, and uninstall leaves no trace", play: install },
];

/// A command that makes the file and asks first.
const ASKING: &str = "cp seed.txt made.txt";

fn run_allowed_command(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let turn = stage.say(Session::New, "make the file", &[stage.allowed_call()])?;
    stage.expect_made(&turn)
}

fn make_allowed_edit(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let call = stage.agent.file_call(&stage.file());
    let turn = stage.say(Session::New, "make the file", &[call])?;
    stage.expect_made(&turn)
}

fn decline(stage: &mut Stage<'_>) -> Result<(), Failure> {
    write_seed(stage)?;
    let note = "use the copy from yesterday";
    let call = stage.agent.shell_call(ASKING);
    let turn = stage
        .say_while(Session::New, "copy the file", &[call], |stage| stage.daemon.decline(note))?;
    stage.expect_not_made(&turn)?;
    turn.expect_heard(note)
}

fn approve(stage: &mut Stage<'_>) -> Result<(), Failure> {
    write_seed(stage)?;
    let call = stage.agent.shell_call(ASKING);
    let turn = stage.say_while(Session::New, "copy the file", &[call], |stage| {
        let question = stage.daemon.wait_for_question()?;
        if stage.file().exists() {
            return Err(Failure::new("the call was carried out before the answer"));
        }
        stage.daemon.run(&["approve", &question]).map(drop)
    })?;
    stage.expect_made(&turn)
}

fn grant_standing(stage: &mut Stage<'_>) -> Result<(), Failure> {
    write_seed(stage)?;
    stage.say(Session::New, "hello", &[])?;
    stage.say(Session::Last, &format!("Grant standing consent for: {ASKING}"), &[])?;
    let call = stage.agent.shell_call(ASKING);
    let turn = stage.say(Session::Last, "copy the file", &[call])?;
    stage.expect_made(&turn)
}

/// The command would be allowed otherwise.
fn stop(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.say(Session::New, "hello", &[])?;
    let turn = stage.say(Session::Last, "stop", &[stage.allowed_call()])?;
    stage.expect_not_made(&turn)
}

fn kill_daemon(stage: &mut Stage<'_>) -> Result<(), Failure> {
    write_seed(stage)?;
    let call = stage.agent.shell_call(ASKING);
    let turn = stage.say_while(Session::New, "copy the file", &[call], |stage| {
        stage.daemon.wait_for_question()?;
        stage.daemon.kill();
        Ok(())
    })?;
    stage.expect_not_made(&turn)
}

fn remove_program(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let gone = stage.folder().path().join("gone/countersign");
    stage.agent.write_hooks(stage.folder(), &gone)?;
    let turn = stage.say(Session::New, "make the file", &[stage.allowed_call()])?;
    stage.expect_not_made(&turn)
}

fn answer_garbage(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.daemon.kill();
    let bodies: [&[u8]; 3] = [
        b"",
        b"garbage\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
    ];
    for body in bodies {
        for name in ["agent.sock", "operator.sock"] {
            listen_with(&stage.folder().data().join(name), body)?;
        }
        let turn = stage.say(Session::New, "make the file", &[stage.allowed_call()])?;
        stage.expect_not_made(&turn)?;
    }
    Ok(())
}

/// Answers every connection with the same bytes, until the suite ends.
fn listen_with(path: &Path, body: &'static [u8]) -> Result<(), Failure> {
    // The one before left it.
    let _gone = std::fs::remove_file(path);
    let fail = |error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
    let listener = UnixListener::bind(path).map_err(fail)?;
    thread::spawn(move || {
        for mut connection in listener.incoming().map_while(Result::ok) {
            // Whoever has closed it needs no answer.
            let _closed = connection.write_all(body);
        }
    });
    Ok(())
}

/// The hook and the gateway see the same call; the operator is asked by one of them.
fn ask_once(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let server = stage.wrapped_server();
    stage.daemon.approve_server(server.clone())?;
    stage.agent.add_server(stage.folder(), "files", &server)?;
    let arguments = json!({"path": stage.file()});
    let call = stage.agent.server_call("files", "make_file", &arguments);
    let turn =
        stage.say_while(Session::New, "make the file", &[call], |stage| stage.daemon.approve())?;
    stage.expect_made(&turn)
}

fn install(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let files = stage.agent.settings_files(stage.folder());
    if let Some(hooks) = files.first() {
        std::fs::remove_file(hooks).map_err(|error| Failure::new(error.to_string()))?;
    }
    let before = stage.read_files(&files);
    stage.daemon.run(&["init", "--yes", "--agents", stage.agent.name()])?;
    let connected = stage.read_files(&files);
    if connected == before {
        return Err(Failure::new("init changed no file of the program"));
    }
    approve(stage)?;
    stage.daemon.run(&["uninstall", "--yes"])?;
    match stage.read_files(&files) == before {
        true => Ok(()),
        false => Err(Failure::new("uninstall did not restore the files of the program")),
    }
}

fn write_seed(stage: &Stage<'_>) -> Result<(), Failure> {
    crate::external::write(&stage.folder().work().join("seed.txt"), "seed\n")
}
