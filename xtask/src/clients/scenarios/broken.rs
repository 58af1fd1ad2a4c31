//! What breaks: the daemon, the hook's program, the socket. Nothing may run because of it.

use crate::clients::agent::BEFORE_TOOL;
use crate::clients::stage::{ASKING, Stage};
use crate::failure::Failure;
use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::thread;

const GARBAGE: [&[u8]; 4] = [
    b"garbage\n",
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
    b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"status\": \"allowed\"",
];

pub fn start_daemon(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.daemon.kill();
    let turn = stage.say("make the file", &[stage.allowed_call()])?;
    stage.expect_made(&turn)
}

pub fn kill_daemon(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.write_seed()?;
    let call = stage.agent.shell_call(ASKING);
    let turn = stage.say_while("copy the file", &[call], |stage| {
        stage.daemon.wait_for_question()?;
        stage.daemon.kill();
        Ok(())
    })?;
    stage.expect_blocked(&turn)
}

pub fn remove_program(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let gone = stage.folder().path().join("gone/countersign");
    stage.agent.write_hooks(stage.folder(), &gone, BEFORE_TOOL)?;
    let turn = stage.say("make the file", &[stage.allowed_call()])?;
    stage.expect_blocked(&turn)
}

/// The first call leaves the hook with a token, so that it sends the second one to the socket at once.
pub fn answer_garbage(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage.agent.write_hooks(stage.folder(), &stage.workshop.program, BEFORE_TOOL)?;
    let turn = stage.say("make the file", &[stage.allowed_call()])?;
    stage.expect_made(&turn)?;
    stage.daemon.kill();
    for body in GARBAGE {
        stage.remove_file()?;
        for name in ["agent.sock", "operator.sock"] {
            listen_with(&stage.folder().data().join(name), body)?;
        }
        let turn = stage.say("make the file", &[stage.allowed_call()])?;
        stage.expect_blocked(&turn)?;
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
