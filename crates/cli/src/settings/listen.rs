//! Settings of the daemon's sockets and ports: addresses, certificate, names and rate limit.

use super::{Setting, Settings};
use countersign_console::Failure;
use countersign_server::{
    AgentAccess, Certificate, DEFAULT_AGENT_PORT, DEFAULT_OPERATOR_PORT, Port, Ports, Rate, Rates,
    Sockets, TakenPortPolicy, limits,
};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const GROUP_FILE: &str = "/etc/group";

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct NetworkSection {
    http: Option<bool>,
    names: Option<Vec<String>>,
    rate: Option<u32>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AgentSection {
    address: Option<IpAddr>,
    port: Option<u16>,
    pub(super) socket: Option<PathBuf>,
    group: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OperatorSection {
    address: Option<IpAddr>,
    port: Option<u16>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TlsSection {
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
}

pub(super) struct ListenSettings {
    pub(super) http: Setting<bool>,
    pub(super) names: Setting<Vec<String>>,
    pub(super) rate: Setting<u32>,
    pub(super) agent: PortSettings,
    pub(super) socket: Setting<Option<PathBuf>>,
    pub(super) group: Setting<Option<String>>,
    pub(super) operator: PortSettings,
    pub(super) certificate: Setting<Option<PathBuf>>,
    pub(super) key: Setting<Option<PathBuf>>,
}

/// The port of one plane.
pub(super) struct PortSettings {
    pub(super) address: Setting<IpAddr>,
    pub(super) port: Setting<u16>,
}

/// The ports on the command line.
pub(crate) struct PortOptions {
    pub(crate) agent: Option<u16>,
    pub(crate) operator: Option<u16>,
    pub(crate) http: HttpOption,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpOption {
    FromSettings,
    Off,
}

impl ListenSettings {
    /// `socket` is the variable of the environment that overrides `agent.socket`.
    pub(super) fn resolve(
        network: NetworkSection,
        agent: AgentSection,
        operator: OperatorSection,
        tls: TlsSection,
        socket: Option<(&'static str, Option<PathBuf>)>,
    ) -> Self {
        let port = |address, port, default| PortSettings {
            address: Setting::resolve(None, address, LOOPBACK),
            port: Setting::resolve(None, port, default),
        };
        Self {
            http: Setting::resolve(None, network.http, true),
            names: Setting::resolve(None, network.names, Vec::new()),
            rate: Setting::resolve(None, network.rate, limits::RATE_PER_CREDENTIAL.per_second),
            agent: port(agent.address, agent.port, DEFAULT_AGENT_PORT),
            socket: Setting::resolve(socket, agent.socket.map(Some), None),
            group: Setting::resolve(None, agent.group.map(Some), None),
            operator: port(operator.address, operator.port, DEFAULT_OPERATOR_PORT),
            certificate: Setting::resolve(None, tls.certificate.map(Some), None),
            key: Setting::resolve(None, tls.key.map(Some), None),
        }
    }

    fn tls(&self) -> Result<Option<Certificate>, Failure> {
        match (&self.certificate.value, &self.key.value) {
            (Some(chain), Some(key)) => {
                Ok(Some(Certificate { chain: chain.clone(), key: key.clone() }))
            }
            (None, None) => Ok(None),
            _ => Err(Failure::usage(
                "only one of `tls.certificate` and `tls.key` is set",
                "set both or neither",
            )),
        }
    }

    fn checked_names(&self) -> Result<Vec<String>, Failure> {
        let names = &self.names.value;
        let is_host_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        let invalid = names.iter().find(|name| name.is_empty() || !name.chars().all(is_host_char));
        match invalid {
            Some(invalid) => Err(Failure::usage(
                format!("`{invalid}` in `network.names` is not a host name"),
                "write it without scheme and port: `desk.example`",
            )),
            None => Ok(names.clone()),
        }
    }

    fn rate(&self) -> Result<Rate, Failure> {
        match self.rate.value {
            0 => Err(Failure::usage(
                "`network.rate` is 0, which would refuse every request",
                "set it to the requests per second of one credential, or remove it",
            )),
            default if default == limits::RATE_PER_CREDENTIAL.per_second => {
                Ok(limits::RATE_PER_CREDENTIAL)
            }
            per_second => Ok(Rate { per_second, burst: per_second.saturating_mul(2) }),
        }
    }
}

impl PortSettings {
    /// A port that an option or the settings name must be free. Without the default port, the daemon
    /// runs on its sockets alone.
    fn port(&self, option: Option<u16>, http: &Setting<bool>) -> Option<Port> {
        let is_named = option.is_some() || self.port.is_set() || self.address.is_set();
        let if_taken = if is_named { TakenPortPolicy::Fail } else { TakenPortPolicy::Skip };
        let number = option.unwrap_or(self.port.value);
        let is_open = http.value || option.is_some();
        is_open.then_some(Port { address: self.address.value, number, if_taken })
    }
}

impl Settings {
    /// The ports that the daemon opens.
    pub(crate) fn ports(&self, options: &PortOptions) -> Result<Ports, Failure> {
        if options.http == HttpOption::Off {
            return Ok(Ports::none());
        }
        let listen = &self.listen;
        Ok(Ports {
            agent: listen.agent.port(options.agent, &listen.http),
            operator: listen.operator.port(options.operator, &listen.http),
            names: listen.checked_names()?,
            tls: listen.tls()?,
            rates: Rates { per_credential: listen.rate()?, ..Rates::DEFAULT },
        })
    }

    /// The agents' socket of the daemon in this folder.
    pub(crate) fn agent_socket(&self, folder: &Path) -> PathBuf {
        let named = self.listen.socket.value.clone();
        named.unwrap_or_else(|| Sockets::in_folder(folder).agent)
    }

    /// The token of a script, from the environment.
    pub(crate) fn token(&self) -> Result<Option<String>, Failure> {
        let Some(token) = &self.token else { return Ok(None) };
        let is_token = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic());
        match token.to_str().filter(is_token) {
            Some(token) => Ok(Some(token.to_owned())),
            None => Err(Failure::usage(
                "COUNTERSIGN_TOKEN is not a token",
                "set it to the output of `countersign agent add`, or unset it",
            )),
        }
    }

    pub(crate) fn sockets(&self, folder: &Path) -> Result<Sockets, Failure> {
        let mut sockets = Sockets::in_folder(folder);
        sockets.agent = self.agent_socket(folder);
        if let Some(named) = &self.listen.group.value {
            sockets.access = AgentAccess::Group(find_group(named)?);
        }
        Ok(sockets)
    }

    /// Files outside of the daemon's folder that agents must not touch.
    pub(crate) fn protected_files(&self) -> impl Iterator<Item = &PathBuf> {
        let listen = &self.listen;
        let named = [&listen.socket.value, &listen.certificate.value, &listen.key.value];
        named.into_iter().flatten().chain(&self.file_place).chain(&self.usual_file_place)
    }
}

/// The id of a group, by its number or its name.
fn find_group(named: &str) -> Result<u32, Failure> {
    if let Ok(number) = named.parse() {
        return Ok(number);
    }
    find_group_in(Path::new(GROUP_FILE), named)
}

/// The system may know more groups than the file, for example those of a directory service.
fn find_group_in(file: &Path, named: &str) -> Result<u32, Failure> {
    let groups = std::fs::read(file).map_err(|error| {
        Failure::file("read", file, &error, "set `agent.group` to the number of the group")
    })?;
    find_group_id(&String::from_utf8_lossy(&groups), named).ok_or_else(|| {
        Failure::usage(
            format!(
                "`agent.group` names the group `{named}`, which is not in `{}`",
                file.display()
            ),
            "create it, or set `agent.group` to the number that `getent group` shows for it",
        )
    })
}

fn find_group_id(groups: &str, name: &str) -> Option<u32> {
    groups.lines().find_map(|line| {
        let mut columns = line.split(':');
        (columns.next()? == name).then(|| columns.nth(1)?.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_groups_that_cannot_be_read_is_not_called_a_missing_group() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("group");
        let message = |result: Result<u32, Failure>| result.unwrap_err().line();
        let unreadable = message(find_group_in(&file, "agents"));
        assert!(unreadable.starts_with("cannot read `"), "{unreadable}");
        // One group with a name that is not UTF-8 does not hide the others.
        std::fs::write(&file, b"caf\xe9:x:5:\nagents:x:7:\n").unwrap();
        assert_eq!(find_group_in(&file, "agents").unwrap(), 7);
        let missing = message(find_group_in(&file, "others"));
        assert!(missing.contains("which is not in `"), "{missing}");
    }

    #[test]
    fn a_group_is_found_by_its_whole_name() {
        let groups = "root:x:0:\nagents-old:x:7:\nagents:x:1007:a,b\nbroken\nworse:x:y:\n";
        assert_eq!(find_group_id(groups, "agents"), Some(1007));
        assert_eq!(find_group_id(groups, "root"), Some(0));
        for absent in ["agent", "", "broken", "worse"] {
            assert_eq!(find_group_id(groups, absent), None, "{absent}");
        }
    }
}
