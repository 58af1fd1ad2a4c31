//! How the program is connected: through the gateway, and by `init`.

use super::operator::approve;
use crate::clients::stage::Stage;
use crate::external::write;
use crate::failure::Failure;
use serde_json::json;

/// The hook and the gateway see the same call; the operator is asked by one of them.
pub fn ask_once(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let server = stage.wrapped_server();
    stage.daemon.approve_server(server.clone())?;
    stage.agent.add_server(stage.folder(), "files", &server)?;
    let arguments = json!({"path": stage.file()});
    let call = stage.agent.server_call("files", "make_file", &arguments);
    let turn = stage.say_while("make the file", &[call], |stage| stage.daemon.approve())?;
    stage.expect_made(&turn)
}

pub fn install(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let home = stage.folder().home();
    let files = stage.agent.settings_files();
    for (path, text) in files {
        write(&home.join(path), text)?;
    }
    let agent = stage.agent.name();
    stage.daemon.run(&["init", "--yes", "--agents", agent])?;
    approve(stage)?;
    stage.daemon.run(&["uninstall", "--yes", "--agents", agent])?;
    for (path, text) in files {
        let now = std::fs::read_to_string(home.join(path)).unwrap_or_default();
        if now != *text {
            return Err(Failure::new(format!("after uninstall {path} is `{now}`")));
        }
    }
    Ok(())
}
