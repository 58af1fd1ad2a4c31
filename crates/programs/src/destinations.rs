//! Whom a command contacts, as far as its own words say so.

use super::reading::{is_plain_name, read_words};
use super::{Contacts, find_table, is_local_address};

/// One destination of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandDestination {
    /// A host by name, in lower case and without its port; this machine with it.
    Host(String),
    /// A git remote by name.
    Remote(String),
    /// A repository of a forge, as `OWNER/REPOSITORY`.
    Repository(String),
    /// An account, a project or a cluster that an option names: `profile dev`.
    Account(String),
    /// What the configuration names: the remote of a branch, a registry, a cluster.
    Configured,
    /// A host that its words name, and nobody can say which one.
    Unnamed,
    /// No table knows all the words.
    Unknown,
}

/// Stands for the hosts that the first one leads to. A yes to one host does not reach them.
const REDIRECTED: &str = "hosts to which it redirects";

/// The destinations of one simple command; none if it contacts nobody.
pub fn find_destinations(argv: &[String]) -> Vec<CommandDestination> {
    let unknown = || vec![CommandDestination::Unknown];
    let Some(table) = find_table(argv) else { return unknown() };
    if table.contacts == Contacts::Nobody {
        return Vec::new();
    }
    let words = argv.get(table.count_name_words()..).unwrap_or_default();
    let Ok(read) = read_words(table, words) else { return unknown() };
    let mut operands =
        read.operands.iter().filter_map(|index| words.get(*index)).map(String::as_str);
    let found: Vec<CommandDestination> = match table.contacts {
        Contacts::Nobody => Vec::new(),
        Contacts::Anywhere => {
            let further = CommandDestination::Host(REDIRECTED.to_owned());
            operands.map(find_host).chain([further]).collect()
        }
        Contacts::Configured => {
            read.accounts.into_iter().map(CommandDestination::Account).collect()
        }
        Contacts::Forge | Contacts::Database => {
            let addresses = operands.filter(|word| word.contains("://")).map(find_host);
            addresses.chain(read.hosts.iter().map(|host| find_host(host))).collect()
        }
        Contacts::Addresses => operands.map(find_host).collect(),
        Contacts::Hosts => operands.filter(|word| word.contains('.')).map(find_host).collect(),
        Contacts::RemoteFiles => {
            operands.filter(|word| word.contains(':')).map(find_host).collect()
        }
        Contacts::Remote => operands.next().map(find_remote).into_iter().collect(),
        Contacts::Repository => {
            let addresses = operands.filter(|word| word.contains("://")).map(find_host);
            addresses
                .chain(read.repositories.into_iter().map(CommandDestination::Repository))
                .collect()
        }
        Contacts::ApiPath => {
            let hosts = read.hosts.iter().map(|host| find_host(host));
            hosts.chain(operands.filter_map(find_repository)).collect()
        }
    };
    if found.is_empty() { vec![CommandDestination::Configured] } else { found }
}

/// The host of `https://user@host:port/path`, `user@host:path` or `host`.
fn find_host(word: &str) -> CommandDestination {
    let rest = word.split_once("://").map_or(word, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    // On this machine, each port is another program.
    if is_local_address(word) {
        return CommandDestination::Host(host.to_ascii_lowercase());
    }
    let host = host.split(':').next().unwrap_or_default();
    match host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)) {
        true if !host.is_empty() => CommandDestination::Host(host.to_ascii_lowercase()),
        // `%` may stand for any character of a name.
        true | false => CommandDestination::Unnamed,
    }
}

/// The repository of `repos/OWNER/NAME/…`. `{owner}/{repo}` is the configured one.
fn find_repository(path: &str) -> Option<CommandDestination> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let mut parts = path.strip_prefix("repos/")?.split(['/', '?']);
    let (owner, name) = (parts.next()?, parts.next()?);
    let is_named = is_plain_name(owner) && is_plain_name(name);
    is_named.then(|| CommandDestination::Repository(format!("{owner}/{name}")))
}

fn find_remote(word: &str) -> CommandDestination {
    match word.contains("://") || word.contains(':') {
        true => find_host(word),
        false => CommandDestination::Remote(word.to_owned()),
    }
}
