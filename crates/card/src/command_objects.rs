//! What the words of a command line name: files that it reads, writes and deletes, hosts and remotes.

use countersign_commands::{
    CommandDestination, Redirection, deletes_for_good, find_destinations, find_read_words,
    find_written_words, parse_segments,
};
use countersign_core::model::call::Call;
use countersign_core::model::command::Command;
use countersign_core::model::place::Bound;
use countersign_core::model::request::Request;

/// The simple commands of a line; none if it cannot be read in full.
pub(crate) fn list_commands(call: &Call) -> Vec<Vec<String>> {
    match &call.command {
        Some(Command::Plain { argv, .. }) => vec![argv.clone()],
        Some(Command::NotPlain { text, .. }) => parse_segments(text)
            .map(|segments| segments.into_iter().map(|segment| segment.argv).collect())
            .unwrap_or_default(),
        None => Vec::new(),
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NamedFiles {
    pub(crate) read: Vec<String>,
    pub(crate) written: Vec<String>,
    pub(crate) deleted: Vec<String>,
}

/// The files that a command line names.
pub(crate) fn list_files(call: &Call) -> NamedFiles {
    let mut files = NamedFiles::default();
    for argv in list_commands(call) {
        let words = |indices: Option<Vec<usize>>| {
            let indices = indices.unwrap_or_default();
            indices.into_iter().filter_map(|at| argv.get(at).cloned()).collect::<Vec<_>>()
        };
        files.read.extend(words(find_read_words(&argv)));
        let written = words(find_written_words(&argv));
        match deletes_for_good(&argv) {
            true => {
                files.deleted.extend(written.into_iter().map(|word| name_workspace(call, word)))
            }
            false => files.written.extend(written),
        }
    }
    if let Some(Command::NotPlain { text, .. }) = &call.command {
        let segments = parse_segments(text).unwrap_or_default();
        files.written.extend(
            segments.into_iter().flat_map(|segment| segment.redirections).filter_map(
                |redirection| match redirection {
                    Redirection::File(file) => Some(file.path),
                    _ => None,
                },
            ),
        );
    }
    files
}

/// A path that leads to the workspace or above it is said to be that.
fn name_workspace(call: &Call, word: String) -> String {
    let Some(project) = call.workspace() else { return word };
    let cwd = call.command.as_ref().and_then(Command::cwd).unwrap_or(project);
    let mut names: Vec<&str> = if word.starts_with('/') { Vec::new() } else { split_names(cwd) };
    for name in split_names(&word) {
        match name {
            "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    match split_names(project).starts_with(&names) {
        true => format!("the whole workspace ({word})"),
        false => word,
    }
}

fn split_names(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty()).collect()
}

/// The hosts that the items of a request act at.
pub(crate) fn list_hosts(request: &Request, call: &Call) -> Vec<String> {
    let found = list_bounds(request, |bound| match bound {
        Bound::Host(host) if host.is_empty() => Some("a host that nobody can name".to_owned()),
        Bound::Host(host) => Some(host.clone()),
        Bound::Account(name) => Some(format!("the {name}")),
        Bound::Configured => Some("the hosts in its settings".to_owned()),
        _ => None,
    });
    if !found.is_empty() {
        return found;
    }
    // Another request may hold the item that acts there.
    let commands = list_commands(call);
    let destinations = commands.iter().flat_map(|argv| find_destinations(argv));
    let host = |destination: CommandDestination| match destination {
        CommandDestination::Host(host) => Some(host),
        _ => None,
    };
    destinations.filter_map(host).collect()
}

/// The remotes that the items of a request act at.
pub(crate) fn list_remotes(request: &Request) -> Vec<String> {
    list_bounds(request, |bound| match bound {
        Bound::Remote(remote) => Some(format!("the remote {remote}")),
        Bound::GitRemote(remote) => Some(remote.to_string()),
        Bound::Host(host) => Some(host.clone()),
        Bound::Configured => Some("the configured remote".to_owned()),
        _ => None,
    })
}

fn list_bounds(request: &Request, name: impl Fn(&Bound) -> Option<String>) -> Vec<String> {
    let bounds = request.items.iter().filter_map(|item| item.bounds.as_deref());
    let mut names: Vec<String> = Vec::new();
    for found in bounds.flat_map(|bounds| &bounds.within).filter_map(name) {
        if !names.contains(&found) {
            names.push(found);
        }
    }
    names
}
