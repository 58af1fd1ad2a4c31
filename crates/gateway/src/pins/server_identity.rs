//! What a server is: its command line, folder and program, or its address.
//!
//! The operator approves this, and a change of it asks again.

use super::started_files::find_started;
use crate::spec::{ClientServerSpec, ProcessSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServerIdentity {
    /// The program and its arguments, or the address.
    pub(crate) command: Vec<String>,
    pub(crate) folder: String,
    /// The files that run, each with the SHA-256 of its content.
    pub(crate) programs: Vec<(String, String)>,
    /// Variables that load code or choose programs.
    pub(crate) variables: Vec<(String, String)>,
    /// What the command starts beside these files, so that a pin would say nothing about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unpinned: Option<String>,
}

/// Variables with which a program loads other code than its own.
const LOADING_VARIABLES: [&str; 14] = [
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "RUBYOPT",
    "RUBYLIB",
    "PERL5OPT",
    "PERL5LIB",
    "BASH_ENV",
    "ENV",
];

impl ServerIdentity {
    pub(crate) fn of_process(spec: &ProcessSpec) -> Result<Self, String> {
        let folder = spec.folder.clone().unwrap_or_else(|| PathBuf::from("/"));
        let path = spec.environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map_or("/usr/local/bin:/usr/bin:/bin", |(_, value)| value.as_str());
        let started = find_started(&spec.command, &folder, path)?;
        let programs = started.files.iter().map(|file| hash_file(file));
        let is_loading = |name: &str| LOADING_VARIABLES.contains(&name);
        let given = spec.environment.iter().chain(&started.variables);
        let mut variables: Vec<_> = given.filter(|(name, _)| is_loading(name)).cloned().collect();
        variables.sort();
        Ok(Self {
            command: spec.command.clone(),
            folder: folder.display().to_string(),
            programs: programs.collect::<Result<_, _>>()?,
            variables,
            unpinned: started.unknown,
        })
    }

    pub(crate) fn of_url(url: &str) -> Self {
        Self {
            command: vec![url.to_owned()],
            folder: String::new(),
            programs: Vec::new(),
            variables: Vec::new(),
            unpinned: None,
        }
    }

    /// Nothing of it is checked: the client could start anything else.
    pub(crate) fn of_client_server(spec: &ClientServerSpec) -> Self {
        let unpinned =
            "everything here is what the agent says, which starts the server as its own user";
        Self {
            command: spec.command.clone(),
            folder: spec.folder.display().to_string(),
            programs: Vec::new(),
            variables: Vec::new(),
            unpinned: Some(unpinned.to_owned()),
        }
    }

    /// The arguments of the call that asks about this server.
    pub(crate) fn to_arguments(&self, name: &str) -> Value {
        let pairs = |pairs: &[(String, String)]| -> Value {
            pairs.iter().map(|(key, value)| (key.clone(), json!(value))).collect()
        };
        let mut arguments = json!({
            "name": name,
            "command": self.command,
            "folder": self.folder,
            "sha256": pairs(&self.programs),
        });
        if let (Some(members), false) = (arguments.as_object_mut(), self.variables.is_empty()) {
            members.insert("environment".to_owned(), pairs(&self.variables));
        }
        if let (Some(members), Some(what)) = (arguments.as_object_mut(), &self.unpinned) {
            let sentence = format!("{what}: it can change unnoticed, so each start asks");
            members.insert("not pinned".to_owned(), json!(sentence));
        }
        arguments
    }
}

fn hash_file(path: &Path) -> Result<(String, String), String> {
    let unreadable =
        |error: std::io::Error| format!("`{}` cannot be read: {error}", path.display());
    let mut file = File::open(path).map_err(unreadable)?;
    let (mut hash, mut chunk) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let length = file.read(&mut chunk).map_err(unreadable)?;
        if length == 0 {
            break;
        }
        hash.update(chunk.get(..length).unwrap_or_default());
    }
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((path.display().to_string(), hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Confinement;

    fn spec(command: &[&str], folder: &Path, environment: &[(&str, &str)]) -> ProcessSpec {
        ProcessSpec {
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            folder: Some(folder.to_owned()),
            environment: environment.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
            confinement: Confinement::None,
        }
    }

    #[test]
    fn the_identity_changes_with_the_program_the_script_and_what_loads_code() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("python3", "interpreter");
        write("server.py", "one");
        let path = folder.path().to_str().unwrap().to_owned();
        let variables = [("PATH", path.as_str()), ("API_KEY", "x")];
        let identify = |variables: &[(&str, &str)]| {
            ServerIdentity::of_process(&spec(&["python3", "server.py"], folder.path(), variables))
        };
        let first = identify(&variables).unwrap();
        assert_eq!(first.programs.len(), 2);
        assert_eq!(identify(&[("PATH", &path), ("API_KEY", "y")]), Ok(first.clone()));
        assert_ne!(identify(&[("PATH", &path), ("PYTHONPATH", "/tmp")]), Ok(first.clone()));
        write("server.py", "two");
        assert_ne!(identify(&variables), Ok(first.clone()));
        write("server.py", "one");
        write("python3", "another");
        assert_ne!(identify(&variables), Ok(first));
        assert!(identify(&[("PATH", "/nowhere")]).is_err());
    }
}
