//! Every key that there is, as a page about it tells.

/// One key of the settings file.
pub(super) struct Key {
    pub(super) name: &'static str,
    /// What it decides, in lines.
    pub(super) about: &'static [&'static str],
    /// A value that it can have, as it is written.
    pub(super) example: &'static str,
    /// The variable that goes before the file.
    pub(super) variable: Option<&'static str>,
}

pub(super) const KEYS: &[Key] = &[
    Key {
        name: "data",
        about: &[
            "The folder of the record and of the daemon's sockets.",
            "Without it: `countersign` in the user's data folder.",
        ],
        example: "\"~/.local/share/countersign\"",
        variable: Some("COUNTERSIGN_DATA"),
    },
    Key {
        name: "store",
        about: &["What keeps the record: `sqlite`, or `postgres:` and an address."],
        example: "\"sqlite\"",
        variable: Some("COUNTERSIGN_STORE"),
    },
    Key {
        name: "graph",
        about: &[
            "The graph that holds.",
            "Without it: `countersign.{toml,yaml,json}` in the current folder, then in the user's config",
            "folder. The daemon writes one to begin with into its own folder if there is none.",
        ],
        example: "\"~/.config/countersign/countersign.yaml\"",
        variable: Some("COUNTERSIGN_GRAPH"),
    },
    Key {
        name: "headless",
        about: &["Whether nobody is there to be asked, so that the daemon denies what would ask."],
        example: "false",
        variable: None,
    },
    Key {
        name: "solver",
        about: &[
            "The program that proves what a graph can never allow: a path, or a name in PATH.",
        ],
        example: "\"cvc5\"",
        variable: Some("CVC5"),
    },
    Key {
        name: "network.http",
        about: &["Whether the daemon has ports beside its sockets."],
        example: "true",
        variable: None,
    },
    Key {
        name: "network.names",
        about: &[
            "Names under which the ports are reached, beside those of this machine. A request that names",
            "another host is refused.",
        ],
        example: "[\"desk.example\"]",
        variable: None,
    },
    Key {
        name: "network.rate",
        about: &["What one credential may send on a port in a second; twice as much at once."],
        example: "1000",
        variable: None,
    },
    Key {
        name: "agent.address",
        about: &["Where the agents' port is. One that is not on this machine needs a certificate."],
        example: "\"127.0.0.1\"",
        variable: None,
    },
    Key {
        name: "agent.port",
        about: &[
            "The agents' port. Without it: 7778, unless another program has it; one that is named here and",
            "taken is an error.",
        ],
        example: "7778",
        variable: None,
    },
    Key {
        name: "agent.socket",
        about: &["The agents' socket. Without it: `agent.sock` in the data folder."],
        example: "\"/run/countersign/agent.sock\"",
        variable: Some("COUNTERSIGN_SOCKET"),
    },
    Key {
        name: "agent.group",
        about: &[
            "The group that may use the agents' socket. Agents are other users then, and the daemon's own",
            "user is none. Without it only the daemon's own user can use it.",
        ],
        example: "\"agents\"",
        variable: None,
    },
    Key {
        name: "operator.address",
        about: &[
            "Where the operator's port is. One that is not on this machine needs a certificate.",
        ],
        example: "\"127.0.0.1\"",
        variable: None,
    },
    Key {
        name: "operator.port",
        about: &["The operator's port. Without it: 7777, unless another program has it."],
        example: "7777",
        variable: None,
    },
    Key {
        name: "tls.certificate",
        about: &[
            "The certificate and its chain, in PEM, for ports that are not on this machine alone.",
        ],
        example: "\"/etc/countersign/chain.pem\"",
        variable: None,
    },
    Key {
        name: "tls.key",
        about: &["Its key, in PEM. Not everybody may read it."],
        example: "\"/etc/countersign/key.pem\"",
        variable: None,
    },
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name)
}

/// A whole file that changes nothing: every key is told about, and commented out.
pub(super) fn example() -> String {
    let mut text = String::from(
        "# Settings of Countersign. What is typed goes before a variable of the environment, and that\n\
         # before this file. A path begins with `/` or `~/`. Keys that nobody knows are refused.\n",
    );
    let mut table = "";
    for key in KEYS {
        let (within, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if within != table {
            text.push_str(&format!("\n[{within}]\n"));
            table = within;
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
    text
}

#[cfg(test)]
mod tests {
    use super::super::file::Form;
    use super::*;

    /// The example with every key switched on.
    fn switched_on() -> String {
        let keys: Vec<&str> = names().map(|name| name.rsplit('.').next().unwrap_or(name)).collect();
        let on = |line: &str| {
            let bare = line.strip_prefix("# ")?;
            let (name, _) = bare.split_once(" = ")?;
            keys.contains(&name).then(|| bare.to_owned())
        };
        example().lines().map(|line| on(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
    }

    fn leaves(within: &str, table: &toml::Table, found: &mut Vec<String>) {
        for (name, value) in table {
            let name = if within.is_empty() { name.clone() } else { format!("{within}.{name}") };
            match value {
                toml::Value::Table(below) => leaves(&name, below, found),
                _ => found.push(name),
            }
        }
    }

    #[test]
    fn the_example_changes_nothing_until_it_is_switched_on() {
        assert_eq!(toml::from_str::<Form>(&example()).unwrap(), Form::default());
    }

    #[test]
    fn every_key_that_is_read_is_told_about_and_the_other_way_round() {
        let form: Form = toml::from_str(&switched_on()).unwrap();
        let written = toml::Table::try_from(&form).unwrap();
        let mut read = Vec::new();
        leaves("", &written, &mut read);
        let mut told: Vec<String> = names().map(str::to_owned).collect();
        read.sort();
        told.sort();
        assert_eq!(read, told);
    }
}
