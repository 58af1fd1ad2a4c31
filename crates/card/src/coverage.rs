//! What a wider yes covers, and where, in one phrase: "running tests in this workspace".

use crate::limits;
use crate::titles::{name_mcp_tool, title_of};
use countersign_commands::list_narrower_commands;
use countersign_core::model::call::{Call, Part};
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::names::Action;
use countersign_core::model::place::{ActionOrigin, Bound, CommandHead, HeadOptions, Place};
use countersign_core::model::request::RequestItem;
use countersign_core::model::words::Covers;
use countersign_core::steps::settle::has_open_heads;

/// What a yes to this item covers beyond the call itself, without how long.
pub(crate) fn describe_coverage(
    call: Option<&Call>,
    item: &RequestItem,
    action: &Action,
    covers: Option<Covers>,
) -> String {
    let bounds = item.bounds.as_deref();
    let within = bounds.map_or(&[][..], |bounds| &bounds.within);
    let command = call.and_then(|call| call.command.as_ref());
    match (covers, command, bounds) {
        (Some(Covers::Command), Some(Command::Plain { argv, .. }), _) => {
            format!("the command `{}`", render_argv(argv))
        }
        (Some(Covers::Head), _, Some(bounds)) => describe_heads(&bounds.heads, within),
        (Some(Covers::Actions), Some(_), Some(bounds))
            if bounds.origin == ActionOrigin::Class && has_open_heads(item) =>
        {
            describe_heads(&bounds.heads, within)
        }
        // Nothing was found about what a call only declares.
        (_, _, _) if item.part == Part::Declared => describe_deed(action, &[]),
        // Which process it is shows nowhere but in its number.
        (_, Some(_), _) if action.as_str() == "shell.stop" => {
            "stopping any process that the agent's user may stop".to_owned()
        }
        (_, _, _) => {
            let places = bounds.map_or(&[][..], |bounds| &bounds.places);
            let deed = describe_deed(action, within);
            format!("{deed}{}{}", describe_places(places), describe_bounds(action.verb(), within))
        }
    }
}

/// Several commands of a line are covered together.
fn describe_heads(heads: &[CommandHead], within: &[Bound]) -> String {
    let last = heads.last().and_then(|head| head.words.last());
    let verb = last.map_or("", String::as_str);
    let describe = |head: &CommandHead| {
        let options = match head.options {
            HeadOptions::Known => "",
            HeadOptions::Unknown => " with any options",
        };
        let words = render_argv(&head.words);
        format!("any `{words} …`{}{options}", describe_narrower(&head.words))
    };
    let mut phrases: Vec<String> = heads.iter().map(describe).collect();
    phrases.dedup();
    format!("{}{}", phrases.join(" and "), describe_bounds(verb, within))
}

/// What begins with the same words and is not covered: other commands, and options.
fn describe_narrower(head: &[String]) -> String {
    let start = format!("{} ", render_argv(head));
    let rest_of = |name: &&'static str| name.strip_prefix(start.as_str());
    let is_option = |name: &&'static str| rest_of(name).is_some_and(|rest| rest.starts_with('-'));
    let (options, commands): (Vec<&str>, Vec<&str>) =
        list_narrower_commands(head).into_iter().partition(is_option);
    let options: Vec<&str> = options.iter().filter_map(rest_of).collect();
    format!("{}{}", list_left_out(" but not", &commands), list_left_out(" without", &options))
}

fn list_left_out(introduction: &str, names: &[&str]) -> String {
    let shown: Vec<String> =
        names.iter().take(limits::MAX_SHOWN_COMMANDS).map(|name| format!("`{name}`")).collect();
    match (shown.as_slice(), names.len() - shown.len()) {
        ([], _) => String::new(),
        (shown, 0) => format!("{introduction} {}", shown.join(" or ")),
        (shown, _) => format!("{introduction} {} and the like", shown.join(", ")),
    }
}

/// Every deed of an action: `test.run` is "running tests".
fn describe_deed(action: &Action, within: &[Bound]) -> String {
    if within.iter().any(|bound| bound.tool().is_some()) {
        return "calls".to_owned();
    }
    if let Some(deed) = find_deed(action.as_str()) {
        return deed.to_owned();
    }
    let name = action.as_str();
    let base = |suffix: &str| name.strip_suffix(suffix).and_then(find_deed);
    if let Some(deed) = base("_secret") {
        return match deed.strip_suffix("files") {
            Some(verb) => format!("{verb}secret files"),
            None => format!("{deed} with secrets"),
        };
    }
    if let Some(deed) = base("_guarded") {
        return format!("{deed} that other programs run unasked");
    }
    if let Some(deed) = base("_outside_workspace") {
        let is_named = within.iter().any(|bound| matches!(bound, Bound::Folder(_)));
        return if is_named { deed.to_owned() } else { format!("{deed} outside of the workspace") };
    }
    format!("{EVERYTHING_LIKE}\"{}\"", title_of(action))
}

/// Every call of an action, wherever it is done.
pub(crate) fn any_of(action: &Action) -> String {
    describe_deed(action, &[])
}

/// What an action does, as the object of a sentence: "pushing commits", or its title in quotes.
pub(crate) fn name_deed(action: &Action) -> String {
    let deed = describe_deed(action, &[]);
    deed.strip_prefix(EVERYTHING_LIKE).map(str::to_owned).unwrap_or(deed)
}

const EVERYTHING_LIKE: &str = "everything like ";

fn find_deed(action: &str) -> Option<&'static str> {
    DEEDS.iter().find(|(name, _)| *name == action).map(|(_, deed)| *deed)
}

/// The places that such a yes reaches although its action does not stand for them.
fn describe_places(places: &[Place]) -> String {
    let kind = |place: &Place| match place {
        Place::Secret => Some("secret ones"),
        Place::WriteGuarded => Some("ones that other programs run unasked"),
        // The bounds name the folder.
        Place::WriteOutside | Place::ReadOutside => None,
    };
    let kinds: Vec<&str> = places.iter().filter_map(kind).collect();
    match kinds.is_empty() {
        true => String::new(),
        false => format!(", also {},", kinds.join(" and ")),
    }
}

pub(crate) fn describe_bounds(verb: &str, within: &[Bound]) -> String {
    let shown: Vec<String> = within
        .iter()
        .take(limits::MAX_SHOWN_BOUNDS)
        .map(|bound| describe_bound(verb, bound))
        .collect();
    let more = within.len().saturating_sub(limits::MAX_SHOWN_BOUNDS);
    let more = if more > 0 { format!(" and {more} more places") } else { String::new() };
    match shown.is_empty() {
        true => String::new(),
        false => format!(" {}{more}", shown.join(" and ")),
    }
}

/// A bound, in the words that fit the deed.
fn describe_bound(verb: &str, bound: &Bound) -> String {
    match bound {
        Bound::Remote(remote) if verb.contains("push") => format!("to the remote {remote}"),
        Bound::Remote(remote) if verb.contains("fetch") => format!("from the remote {remote}"),
        Bound::GitRemote(remote) if verb.contains("push") => format!("to {remote}"),
        Bound::GitRemote(remote) if verb.contains("fetch") => format!("from {remote}"),
        Bound::Configured if verb.contains("push") => "to the configured remote".to_owned(),
        Bound::Configured if verb.contains("fetch") => "from the configured remote".to_owned(),
        Bound::Tool(tool) | Bound::ToolAs { tool, .. } => {
            let name = name_mcp_tool(tool).unwrap_or_else(|| format!("the tool {tool}"));
            format!("of {name}")
        }
        Bound::Workspace
        | Bound::Folder(_)
        | Bound::Path(_)
        | Bound::Host(_)
        | Bound::Remote(_)
        | Bound::GitRemote(_)
        | Bound::Repository(_)
        | Bound::Account(_)
        | Bound::Configured => bound.to_string(),
    }
}

/// Actions and what doing them again and again is called. Others go by their own words.
const DEEDS: &[(&str, &str)] = &[
    ("agents.message", "sending messages to other agents"),
    ("agents.spawn_unattended", "scheduling agents that run unattended"),
    ("build.publish", "publishing packages"),
    ("build.script", "running tasks of the project"),
    ("build.unlisted_task", "running tasks that no file of the project defines"),
    ("cloud.change", "changing cloud resources"),
    ("cloud.delete", "deleting cloud resources"),
    ("cloud.read", "looking at the cloud"),
    ("cluster.change", "changing the cluster"),
    ("cluster.delete", "deleting resources of the cluster"),
    ("cluster.read_secret", "reading secrets of the cluster"),
    ("cluster.read", "looking at the cluster"),
    ("containers.change", "changing containers"),
    ("containers.delete", "deleting data of containers"),
    ("containers.read", "looking at containers"),
    ("database.change", "changing databases"),
    ("database.delete", "deleting databases"),
    ("database.read", "looking at databases"),
    ("bank.pay", "paying"),
    ("identity.purchase", "paying"),
    ("external_api.financial_transaction", "paying"),
    ("email.send", "sending mail"),
    ("outbound.email", "sending mail"),
    ("outbound.message", "sending messages"),
    ("forge.api", "calling the API of the forge"),
    ("forge.delete", "deleting on the forge"),
    ("forge.read", "looking at issues, pull requests and runs"),
    ("forge.write", "changing issues, pull requests and runs"),
    ("git.config", "changing the git configuration"),
    ("git.delete_remote_branch", "deleting remote branches"),
    ("git.force_push", "pushing over what is there"),
    ("git.stash", "stashing changes"),
    ("mcp.add_server", "adding MCP servers"),
    ("mcp.call", "calling MCP tools"),
    ("mcp.read", "reading with MCP tools"),
    ("network.expose_port", "opening ports to others"),
    ("network.remote_shell", "using other machines"),
    ("network.upload", "uploading"),
    ("plan.ask", "asking you questions"),
    ("plan.note", "writing notes into the plan"),
    ("plan.status", "reading the state of its own work"),
    ("secrets.create", "creating secrets"),
    ("secrets.modify", "changing secrets"),
    ("secrets.read", "reading secrets"),
    ("secrets.use", "using secrets"),
    ("shell.input", "typing into running programs"),
    ("shell.program", "running programs of your own"),
    ("shell.powershell", "running PowerShell commands"),
    ("shell.run", "running commands"),
    ("system.inspect", "looking at this machine"),
    ("files.read", "reading files"),
    ("files.search", "searching files"),
    ("files.list", "listing files"),
    ("files.edit", "editing files"),
    ("files.write", "writing files"),
    ("files.create", "creating files"),
    ("files.patch", "applying patches to files"),
    ("files.delete", "deleting files"),
    ("files.overwrite", "overwriting files"),
    ("files.move", "moving files"),
    ("shell.script", "running scripts"),
    ("shell.stop", "stopping commands"),
    ("test.run", "running tests"),
    ("build.compile", "building the project"),
    ("build.lint", "linting the project"),
    ("build.format", "formatting the project"),
    ("build.install_dependencies", "installing dependencies"),
    ("git.status", "showing the git status"),
    ("git.diff", "showing git diffs"),
    ("git.log", "showing the git log"),
    ("git.add", "staging files"),
    ("git.commit", "committing to git"),
    ("git.branch", "creating and changing branches"),
    ("git.merge", "merging branches"),
    ("git.rebase", "rebasing branches"),
    ("git.tag", "tagging commits"),
    ("git.discard", "discarding changes"),
    ("git.fetch", "fetching commits"),
    ("git.pull", "fetching and merging commits"),
    ("git.clone", "cloning repositories"),
    ("git.push", "pushing commits"),
    ("git.open_pull_request", "opening pull requests"),
    ("network.search", "searching the web"),
    ("network.fetch", "fetching pages"),
    ("network.request", "sending requests"),
    ("network.local", "requests to this machine"),
    ("forge.read", "looking at the forge"),
    ("containers.read", "looking at containers"),
    ("cluster.read", "looking at the cluster"),
    ("cloud.read", "looking at the cloud"),
    ("database.read", "looking at the database"),
    ("shell.look", "looking at other terminals"),
    ("git.stash", "stashing changes"),
    ("http.get", "fetching pages"),
    ("web.fetch", "fetching pages"),
    ("agents.spawn", "starting agents"),
    ("agents.load_skill", "loading skills"),
];
