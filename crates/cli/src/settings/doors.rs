//! Where the daemon is reached: its sockets, its ports, and what they ask of whoever comes.

use super::{Setting, Settings};
use crate::failure::Failure;
use countersign_server::{
    AgentAccess, Certificate, DEFAULT_AGENT_PORT, DEFAULT_OPERATOR_PORT, IfTaken, Port, Ports,
    Rate, Rates, Sockets, limits,
};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const GROUPS: &str = "/etc/group";

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct NetworkForm {
    http: Option<bool>,
    names: Option<Vec<String>>,
    rate: Option<u32>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AgentForm {
    address: Option<IpAddr>,
    port: Option<u16>,
    pub(super) socket: Option<PathBuf>,
    group: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OperatorForm {
    address: Option<IpAddr>,
    port: Option<u16>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TlsForm {
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
}

/// What the settings say about doors.
pub(super) struct Doors {
    pub(super) http: Setting<bool>,
    pub(super) names: Setting<Vec<String>>,
    pub(super) rate: Setting<u32>,
    pub(super) agent: Door,
    pub(super) socket: Setting<Option<PathBuf>>,
    pub(super) group: Setting<Option<String>>,
    pub(super) operator: Door,
    pub(super) certificate: Setting<Option<PathBuf>>,
    pub(super) key: Setting<Option<PathBuf>>,
}

/// One plane's port.
pub(super) struct Door {
    pub(super) address: Setting<IpAddr>,
    pub(super) port: Setting<u16>,
}

/// What was typed about ports.
pub(crate) struct Typed {
    pub(crate) agent: Option<u16>,
    pub(crate) operator: Option<u16>,
    pub(crate) http: Http,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Http {
    AsSet,
    Off,
}

impl Doors {
    pub(super) fn of(
        (network, tls): (NetworkForm, TlsForm),
        (socket, agent): (Option<(&'static str, Option<PathBuf>)>, AgentForm),
        operator: OperatorForm,
    ) -> Self {
        let port = |address, port, usual| Door {
            address: Setting::first(None, address, HERE),
            port: Setting::first(None, port, usual),
        };
        Self {
            http: Setting::first(None, network.http, true),
            names: Setting::first(None, network.names, Vec::new()),
            rate: Setting::first(None, network.rate, limits::RATE_PER_CREDENTIAL.per_second),
            agent: port(agent.address, agent.port, DEFAULT_AGENT_PORT),
            socket: Setting::first(socket, agent.socket.map(Some), None),
            group: Setting::first(None, agent.group.map(Some), None),
            operator: port(operator.address, operator.port, DEFAULT_OPERATOR_PORT),
            certificate: Setting::first(None, tls.certificate.map(Some), None),
            key: Setting::first(None, tls.key.map(Some), None),
        }
    }

    fn tls(&self) -> Result<Option<Certificate>, Failure> {
        match (&self.certificate.value, &self.key.value) {
            (Some(chain), Some(key)) => {
                Ok(Some(Certificate { chain: chain.clone(), key: key.clone() }))
            }
            (None, None) => Ok(None),
            _ => Err(Failure::usage(
                "of `tls.certificate` and `tls.key` only one is set",
                "set both of them, or none",
            )),
        }
    }

    /// A name that a browser can ask for; the number is added here.
    fn checked_names(&self) -> Result<Vec<String>, Failure> {
        let names = &self.names.value;
        let of_a_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        let wrong = names.iter().find(|name| name.is_empty() || !name.chars().all(of_a_name));
        match wrong {
            Some(wrong) => Err(Failure::usage(
                format!("`{wrong}` in `network.names` is no name of a host"),
                "write it without a scheme and without a port: `desk.example`",
            )),
            None => Ok(names.clone()),
        }
    }

    fn rate(&self) -> Result<Rate, Failure> {
        match self.rate.value {
            0 => Err(Failure::usage(
                "`network.rate` is 0, so that nothing would ever pass",
                "set it to what one credential may send in a second, or leave it out",
            )),
            usual if usual == limits::RATE_PER_CREDENTIAL.per_second => {
                Ok(limits::RATE_PER_CREDENTIAL)
            }
            per_second => Ok(Rate { per_second, burst: per_second.saturating_mul(2) }),
        }
    }
}

impl Door {
    /// What is typed is wanted, and so is what the settings name; the usual one need not be had.
    fn port(&self, typed: Option<u16>, http: &Setting<bool>) -> Option<Port> {
        let said = typed.is_some() || self.port.is_said() || self.address.is_said();
        let if_taken = if said { IfTaken::Fail } else { IfTaken::Skip };
        let number = typed.unwrap_or(self.port.value);
        let wanted = http.value || typed.is_some();
        wanted.then_some(Port { address: self.address.value, number, if_taken })
    }
}

impl Settings {
    /// The ports that are to be open.
    pub(crate) fn ports(&self, typed: &Typed) -> Result<Ports, Failure> {
        if typed.http == Http::Off {
            return Ok(Ports::none());
        }
        let doors = &self.doors;
        Ok(Ports {
            agent: doors.agent.port(typed.agent, &doors.http),
            operator: doors.operator.port(typed.operator, &doors.http),
            names: doors.checked_names()?,
            tls: doors.tls()?,
            rates: Rates { per_credential: doors.rate()?, ..Rates::DEFAULT },
        })
    }

    /// The agents' socket of a daemon with this folder.
    pub(crate) fn agent_socket(&self, folder: &Path) -> PathBuf {
        let named = self.doors.socket.value.clone();
        named.unwrap_or_else(|| Sockets::in_folder(folder).agent)
    }

    /// The token that a script was given.
    pub(crate) fn token(&self) -> Result<Option<String>, Failure> {
        let Some(token) = &self.token else { return Ok(None) };
        let is_token = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic());
        match token.to_str().filter(is_token) {
            Some(token) => Ok(Some(token.to_owned())),
            None => Err(Failure::usage(
                "COUNTERSIGN_TOKEN holds what no token can hold",
                "set it to what `countersign agent add` showed, or unset it",
            )),
        }
    }

    pub(crate) fn sockets(&self, folder: &Path) -> Result<Sockets, Failure> {
        let mut sockets = Sockets::in_folder(folder);
        sockets.agent = self.agent_socket(folder);
        if let Some(named) = &self.doors.group.value {
            sockets.access = AgentAccess::Group(group(named)?);
        }
        Ok(sockets)
    }

    /// Files outside of the daemon's folder that no agent may touch.
    pub(crate) fn beside(&self) -> impl Iterator<Item = &PathBuf> {
        let doors = &self.doors;
        let named = [&doors.socket.value, &doors.certificate.value, &doors.key.value];
        named.into_iter().flatten().chain(&self.file)
    }
}

/// A group by its number, or by the name that this machine has for it.
fn group(named: &str) -> Result<u32, Failure> {
    if let Ok(number) = named.parse() {
        return Ok(number);
    }
    let listed = std::fs::read_to_string(GROUPS).unwrap_or_default();
    find(&listed, named).ok_or_else(|| {
        Failure::usage(
            format!("there is no group `{named}`, which `agent.group` names"),
            "make it, or name one that is there, or its number",
        )
    })
}

fn find(listed: &str, named: &str) -> Option<u32> {
    listed.lines().find_map(|line| {
        let mut columns = line.split(':');
        (columns.next()? == named).then(|| columns.nth(1)?.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_by_its_whole_name() {
        let listed = "root:x:0:\nagents-old:x:7:\nagents:x:1007:a,b\nbroken\nworse:x:y:\n";
        assert_eq!(find(listed, "agents"), Some(1007));
        assert_eq!(find(listed, "root"), Some(0));
        for absent in ["agent", "", "broken", "worse"] {
            assert_eq!(find(listed, absent), None, "{absent}");
        }
    }
}
