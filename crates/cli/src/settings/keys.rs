//! The documentation of every key of the settings file.

pub(super) struct SettingKey {
    pub(super) name: &'static str,
    /// The description, in lines.
    pub(super) about: &'static [&'static str],
    /// A valid value, in TOML.
    pub(super) example: &'static str,
    /// The variable that overrides the file.
    pub(super) variable: Option<&'static str>,
}

pub(super) const KEYS: &[SettingKey] = &[
    SettingKey {
        name: "data",
        about: &[
            "The folder of the record and of the daemon's sockets.",
            "Without it: `countersign` in the user's data folder.",
        ],
        example: "\"~/.local/share/countersign\"",
        variable: Some("COUNTERSIGN_DATA"),
    },
    SettingKey {
        name: "store",
        about: &["The store of the record: `sqlite`, or `postgres:` and an address."],
        example: "\"sqlite\"",
        variable: Some("COUNTERSIGN_STORE"),
    },
    SettingKey {
        name: "graph",
        about: &[
            "The graph in force.",
            "Without it: `countersign.{toml,yaml,json}` in the current folder, then in the user's config",
            "folder. If there is none, the daemon writes a first graph into its own folder.",
        ],
        example: "\"~/.config/countersign/countersign.yaml\"",
        variable: Some("COUNTERSIGN_GRAPH"),
    },
    SettingKey {
        name: "headless",
        about: &[
            "Whether the daemon denies what it would otherwise ask, because there is no operator.",
        ],
        example: "false",
        variable: None,
    },
    SettingKey {
        name: "solver",
        about: &["The solver for `graph diff --prove`: a path, or a name in PATH."],
        example: "\"cvc5\"",
        variable: Some("CVC5"),
    },
    SettingKey {
        name: "questions.per_session",
        about: &[
            "Questions of one session that may be open. The daemon denies what it would ask beyond.",
        ],
        example: "10",
        variable: None,
    },
    SettingKey {
        name: "questions.per_agent",
        about: &["Questions of one agent that may be open, in all its sessions."],
        example: "60",
        variable: None,
    },
    SettingKey {
        name: "questions.in_all",
        about: &["Questions of all agents that may be open."],
        example: "200",
        variable: None,
    },
    SettingKey {
        name: "narrowing.off",
        about: &[
            "The kinds of narrower forms that are not used. `secret_files`: searches leave secret files",
            "out; without it they ask. `git_programs`: git's reading commands start no configured program.",
        ],
        example: "[\"secret_files\", \"git_programs\"]",
        variable: None,
    },
    SettingKey {
        name: "network.http",
        about: &["Whether the daemon opens ports besides its sockets."],
        example: "true",
        variable: None,
    },
    SettingKey {
        name: "network.names",
        about: &[
            "Host names of the ports, besides the names of this machine. The daemon refuses requests for",
            "other hosts.",
        ],
        example: "[\"desk.example\"]",
        variable: None,
    },
    SettingKey {
        name: "network.rate",
        about: &[
            "Requests per second that one credential may send to a port; twice as many in a burst.",
        ],
        example: "1000",
        variable: None,
    },
    SettingKey {
        name: "agent.address",
        about: &[
            "The address of the agents' port. One that other machines can reach needs a certificate.",
        ],
        example: "\"127.0.0.1\"",
        variable: None,
    },
    SettingKey {
        name: "agent.port",
        about: &[
            "The agents' port. Without it: 7778, if it is free. A port that is named here must be free.",
        ],
        example: "7778",
        variable: None,
    },
    SettingKey {
        name: "agent.socket",
        about: &["The agents' socket. Without it: `agent.sock` in the data folder."],
        example: "\"/run/countersign/agent.sock\"",
        variable: Some("COUNTERSIGN_SOCKET"),
    },
    SettingKey {
        name: "agent.group",
        about: &[
            "The group that may use the agents' socket. Agents are then other users, and the daemon's own",
            "user cannot be an agent. Without it, only the daemon's own user can use the socket.",
        ],
        example: "\"agents\"",
        variable: None,
    },
    SettingKey {
        name: "operator.address",
        about: &[
            "The address of the operator's port. One that other machines can reach needs a certificate.",
        ],
        example: "\"127.0.0.1\"",
        variable: None,
    },
    SettingKey {
        name: "operator.port",
        about: &[
            "The operator's port. Without it: 7777, if it is free. A port that is named here must be free.",
        ],
        example: "7777",
        variable: None,
    },
    SettingKey {
        name: "tls.certificate",
        about: &["The certificate and its chain, in PEM, for ports that other machines can reach."],
        example: "\"/etc/countersign/chain.pem\"",
        variable: None,
    },
    SettingKey {
        name: "tls.key",
        about: &["The private key, in PEM. Only the daemon's user should be able to read it."],
        example: "\"/etc/countersign/key.pem\"",
        variable: None,
    },
    SettingKey {
        name: "mcp.hold_seconds",
        about: &[
            "How long a call over MCP is held for an answer before its client hears that it is pending.",
            "Without it: as long as the client is known to wait, 45 seconds for others.",
        ],
        example: "45",
        variable: None,
    },
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name)
}

/// A complete settings file, with every key described and commented out.
pub(super) fn example_file() -> String {
    let mut text = String::from(
        "# Settings of Countersign. Options on the command line override variables of the environment,\n\
         # and those override this file. A path starts with `/` or `~/`. An unknown key is an error.\n",
    );
    let mut section = "";
    for key in KEYS {
        let (prefix, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if prefix != section {
            text.push_str(&format!("\n[{prefix}]\n"));
            section = prefix;
        }
        text.push('\n');
        for line in key.about {
            text.push_str(&format!("# {line}\n"));
        }
        if let Some(variable) = key.variable {
            text.push_str(&format!("# Variable: {variable}\n"));
        }
        text.push_str(&format!("# {name} = {}\n", key.example));
    }
    text.push_str(super::mcp::EXAMPLE);
    text
}

#[cfg(test)]
mod tests {
    use super::super::file::SettingsFile;
    use super::*;

    /// The example with every key uncommented.
    fn uncommented() -> String {
        let keys: Vec<&str> = names().map(|name| name.rsplit('.').next().unwrap_or(name)).collect();
        let on = |line: &str| {
            let bare = line.strip_prefix("# ")?;
            let (name, _) = bare.split_once(" = ")?;
            keys.contains(&name).then(|| bare.to_owned())
        };
        example_file()
            .lines()
            .map(|line| on(line).unwrap_or_else(|| line.to_owned()) + "\n")
            .collect()
    }

    fn leaves(prefix: &str, table: &toml::Table, found: &mut Vec<String>) {
        for (name, value) in table {
            let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match value {
                toml::Value::Table(below) => leaves(&name, below, found),
                _ => found.push(name),
            }
        }
    }

    #[test]
    fn the_example_sets_nothing_until_it_is_uncommented() {
        assert_eq!(
            toml::from_str::<SettingsFile>(&example_file()).unwrap(),
            SettingsFile::default()
        );
    }

    #[test]
    fn every_key_is_documented_and_every_documented_key_exists() {
        let values: SettingsFile = toml::from_str(&uncommented()).unwrap();
        let written = toml::Table::try_from(&values).unwrap();
        let mut read = Vec::new();
        leaves("", &written, &mut read);
        let mut documented: Vec<String> = names().map(str::to_owned).collect();
        read.sort();
        documented.sort();
        assert_eq!(read, documented);
    }
}
