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
use crate::model::grant::{Coverage, Holder, Scope, Source};
use crate::model::graph::Graph;
use crate::model::names::Action;
use crate::model::place::{ActionOrigin, Bound, Place, StandsForPlace};
use crate::model::request::{Request, RequestItem};
use crate::model::words::{Choice, Covers};

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
    let has_head = bounds.is_some_and(|bounds| !bounds.head.is_empty());
    let is_known = !bounds.is_some_and(|bounds| bounds.within.iter().any(Bound::is_unknown));
    let offered = [
        (command.is_plain(), Covers::Command),
        // A head holds for as long as somebody remembers what it was for.
        (has_head && is_known && choice != Choice::Project, Covers::Head),
        (is_of_class(item) && is_known, Covers::Actions),
    ];
    offered.into_iter().filter_map(|(is_offered, covers)| is_offered.then_some(covers)).collect()
}

/// Whether a class of commands stands for the action of the item.
pub(super) fn is_of_class(item: &RequestItem) -> bool {
    item.bounds.as_ref().is_some_and(|bounds| bounds.origin == ActionOrigin::Class)
}

/// Pins the programs that the card of a request showed: for the project, or for the session if it has
/// none.
pub(super) fn pin_programs(facts: &Facts, request: &Request) -> Vec<Change> {
    let holder = Holder {
        session: &request.session,
        agent: &request.agent,
        project: request.project.as_ref(),
    };
    let scope = if request.project.is_some() { Scope::Project } else { Scope::Session };
    let readable = request.programs.iter().filter(|program| !program.hash.is_empty());
    readable
        .map(|program| {
            let coverage = Coverage::Program(program.clone());
            let mut grant = new_grant(facts, &holder, coverage, scope, Source::Answer);
            grant.request = Some(request.id);
            Change::GrantMinted { grant: Box::new(grant) }
        })
        .collect()
}

/// What a yes for some time covers, and where: the exact command, its head, or the action.
pub(crate) fn named_coverage(
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
        (Some(_), Part::Named, Some(Covers::Head)) => {
            let words = bounds.map_or_else(Vec::new, |bounds| bounds.head.clone());
            (Coverage::Head { words, action: action.clone() }, Some(within))
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
