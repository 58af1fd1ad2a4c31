//! How far a yes for some time goes: which coverage the operator can choose, where it holds, and which
//! programs it pins.
//!
//! See docs/decisions/0050-how-far-a-yes-goes.md.
//! See docs/decisions/0098-a-longer-yes-names-what-it-covers.md.

use super::new_grant::new_grant;
use crate::decide::facts::Facts;
use crate::model::call::{Call, Part};
use crate::model::category::Category;
use crate::model::change::Change;
use crate::model::command::Command;
use crate::model::grant::{Coverage, Holder, Owner, Scope, Source};
use crate::model::graph::Graph;
use crate::model::names::Action;
use crate::model::place::{
    ActionOrigin, Bound, CommandHead, HeadOptions, PinnedProgram, Place, StandsForPlace, is_below,
};
use crate::model::request::{Request, RequestItem};
use crate::model::run_file::{RunFileSighting, SightingCause};
use crate::model::words::{Choice, Covers, Risk};
use crate::state::{Session, State};

const NOT_PLAIN: &str =
    "the command line is not a plain literal command, so only this call is covered";
const NO_COMMAND_LINE: &str =
    "the call runs a command and does not say which, so only this call is covered";
/// The category of what runs commands.
const SHELL: &str = "shell_exec";

pub(super) fn shown_places(item: &RequestItem) -> Vec<Place> {
    item.bounds.as_ref().map_or_else(Vec::new, |bounds| bounds.places.clone())
}

/// What a yes for some time to this item of a command line can cover, narrowest first. Empty if the
/// call runs no command, and if a yes covers only this call.
pub fn offered_coverage(call: &Call, item: &RequestItem, choice: Choice) -> Vec<Covers> {
    let (Some(command), Part::Named) = (&call.command, item.part) else { return Vec::new() };
    let bounds = item.bounds.as_deref();
    let heads = bounds.map_or(&[][..], |bounds| &bounds.heads);
    // What a program without a table does with its options, nobody knows in the next session either.
    let is_lasting = !has_open_heads(item);
    let has_heads = !heads.is_empty() && (choice != Choice::Project || is_lasting);
    let is_known = !bounds.is_some_and(|bounds| bounds.within.iter().any(Bound::is_unknown));
    // No yes is to all such programs. Beside other items, their heads count as what is done.
    let has_actions = is_lasting || (!command.is_plain() && choice != Choice::Project);
    let offered = [
        (command.is_plain(), Covers::Command),
        (has_heads && is_known, Covers::Head),
        (is_of_class(item) && is_known && has_actions, Covers::Actions),
    ];
    offered.into_iter().filter_map(|(is_offered, covers)| is_offered.then_some(covers)).collect()
}

/// Whether a class of commands stands for the action of the item.
pub(super) fn is_of_class(item: &RequestItem) -> bool {
    item.bounds.as_ref().is_some_and(|bounds| bounds.origin == ActionOrigin::Class)
}

/// Pins the programs that the card of a request showed: for the user, or if a program lies in the
/// workspace, for the project (for the session if it has none).
pub(super) fn pin_programs(facts: &Facts, request: &Request) -> Vec<Change> {
    let holder = Holder {
        session: &request.session,
        agent: &request.agent,
        project: request.project.as_ref(),
    };
    let readable = request.programs.iter().filter(|program| !program.hash.is_empty());
    readable
        .map(|program| {
            let owner = pin_owner(facts.state, request, program);
            let scope = match owner {
                PinOwner::User | PinOwner::Project => Scope::Project,
                PinOwner::Session => Scope::Session,
            };
            let coverage = Coverage::Program(program.clone());
            let mut grant = new_grant(facts, &holder, coverage, scope, Source::Answer);
            if owner == PinOwner::User {
                (grant.owner, grant.ends_at) = (Owner::User, None);
            }
            grant.request = Some(request.id);
            Change::GrantMinted { grant: Box::new(grant) }
        })
        .collect()
}

/// Takes the content of the changed files that the card of a request showed.
pub(super) fn take_new_files(facts: &Facts, request: &Request) -> Option<Change> {
    let files = request.run_files.iter();
    let files = files.map(|file| (file.path.clone(), file.content.clone())).collect();
    let seen = RunFileSighting { cause: SightingCause::Answer, at: facts.now, files };
    (!seen.files.is_empty())
        .then(|| Change::RunFilesSeen { session: request.session.clone(), seen: Box::new(seen) })
}

/// For whom a yes pins a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinOwner {
    User,
    Project,
    /// It lies in a workspace that is no project.
    Session,
}

/// A pin holds for the user; that of a program in the workspace, for the project.
pub fn pin_owner(state: &State, request: &Request, program: &PinnedProgram) -> PinOwner {
    let workspace = state.sessions.get(&request.session).and_then(Session::workspace);
    let is_inside = workspace.is_some_and(|folder| is_below(&program.path, folder.as_str()));
    match (is_inside, &request.project) {
        (false, _) => PinOwner::User,
        (true, Some(_)) => PinOwner::Project,
        (true, None) => PinOwner::Session,
    }
}

/// Whether all commands of the item have a head.
pub(super) fn has_heads(item: &RequestItem) -> bool {
    item.bounds.as_ref().is_some_and(|bounds| !bounds.heads.is_empty())
}

/// Whether the item is about programs without a table.
pub fn has_open_heads(item: &RequestItem) -> bool {
    let heads = item.bounds.as_ref().map_or(&[][..], |bounds| &bounds.heads);
    heads.iter().any(|head| head.options == HeadOptions::Unknown)
}

/// What a grant for some time covers, where, and the risk that the card showed for it.
pub(crate) struct NamedCoverage {
    pub(crate) coverage: Coverage,
    pub(crate) within: Option<Vec<Bound>>,
    pub(crate) shown: Risk,
}

/// What a yes for some time covers: the exact command, the head of each of its commands, or the
/// action.
pub(crate) fn named_coverage(
    graph: Option<&Graph>,
    (call, item): (&Call, &RequestItem),
    action: &Action,
    covers: Option<Covers>,
) -> Vec<NamedCoverage> {
    let heads = item.bounds.as_ref().map_or(&[][..], |bounds| &bounds.heads);
    let is_by_heads = match covers {
        Some(Covers::Head) => true,
        Some(Covers::Actions) => is_of_class(item) && has_open_heads(item),
        Some(Covers::Command) | None => false,
    };
    if call.command.is_some() && item.part == Part::Named && is_by_heads {
        return heads.iter().map(|head| name_head(graph, item, action, head)).collect();
    }
    let (coverage, within) = name_command_or_action(call, item, action, covers);
    vec![NamedCoverage { coverage, within, shown: item.risk }]
}

/// A command of a class keeps the action and the risk of its class.
fn name_head(
    graph: Option<&Graph>,
    item: &RequestItem,
    action: &Action,
    head: &CommandHead,
) -> NamedCoverage {
    let rule = head.class.as_ref().and_then(|class| graph?.rule(class));
    let action = head.class.as_ref().unwrap_or(action).clone();
    NamedCoverage {
        coverage: Coverage::Head { words: head.words.clone(), action },
        within: Some(head.within.clone()),
        shown: rule.map_or(item.risk, |rule| rule.risk.min(item.risk)),
    }
}

fn name_command_or_action(
    call: &Call,
    item: &RequestItem,
    action: &Action,
    covers: Option<Covers>,
) -> (Coverage, Option<Vec<Bound>>) {
    let bounds = item.bounds.as_deref();
    let within = bounds.map_or_else(Vec::new, |bounds| bounds.within.clone());
    let stands_for_place =
        bounds.is_some_and(|bounds| bounds.stands_for_place == StandsForPlace::Yes);
    match (&call.command, item.part, covers) {
        (Some(Command::Plain { argv, cwd }), Part::Named, Some(Covers::Command) | None) => {
            let action = (call.actions.len() > 1 || stands_for_place).then(|| action.clone());
            let remotes: Vec<Bound> =
                within.into_iter().filter(|bound| matches!(bound, Bound::GitRemote(_))).collect();
            let within = (!remotes.is_empty()).then_some(remotes);
            (Coverage::Command { argv: argv.clone(), cwd: cwd.clone(), action }, within)
        }
        (_, Part::Named | Part::Declared, _) => (Coverage::Action(action.clone()), Some(within)),
    }
}

/// Why a yes covers only this call, whatever was chosen: what would run cannot be named exactly. A
/// card offers nothing wider then.
pub fn why_only_once(graph: Option<&Graph>, call: &Call, action: &Action) -> Option<&'static str> {
    let rule = graph.and_then(|graph| graph.rule(action));
    let ruled = rule.map_or(&[][..], |rule| &rule.categories);
    let is_shell = |category: &Category| category.as_str() == SHELL;
    match &call.command {
        Some(command) => (!command.is_plain()).then_some(NOT_PLAIN),
        None => ruled.iter().chain(&call.given).any(is_shell).then_some(NO_COMMAND_LINE),
    }
}
