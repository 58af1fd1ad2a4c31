//! How the program is connected: through the gateway, and by `init`.

use super::operator::approve;
use crate::clients::stage::Stage;
use crate::external::write;
use crate::failure::Failure;
use serde_json::json;
use std::fs::{read_to_string, remove_file};
use std::path::Path;

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
    let agent = stage.agent.name();
    let (path, text) = stage.agent.settings_file();
    let path = stage.folder().home().join(path);
    write(&path, text)?;
    stage.daemon.run(&["init", "--yes", "--agents", agent])?;
    approve(stage)?;
    stage.daemon.run(&["uninstall", "--yes", "--agents", agent])?;
    expect_content(&path, Some(text))?;
    remove_file(&path).map_err(|error| Failure::new(error.to_string()))?;
    stage.daemon.run(&["init", "--yes", "--agents", agent])?;
    stage.daemon.run(&["uninstall", "--yes", "--agents", agent])?;
    expect_content(&path, None)
}

fn expect_content(path: &Path, text: Option<&str>) -> Result<(), Failure> {
    let now = read_to_string(path).ok();
    match now.as_deref() == text {
        true => Ok(()),
        false => Err(Failure::new(format!("after uninstall, {} has {now:?}", path.display()))),
    }
}
