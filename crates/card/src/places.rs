//! Says which paths of a call are secret, run by themselves, or lie outside of the workspace.

use crate::limits;
use crate::text::DisplayText;
use countersign_core::model::call::{Call, Part};
use countersign_core::model::names::Action;
use countersign_core::model::place::{Bound, Place, StandsForPlace};
use countersign_core::model::request::{ItemBounds, Request};

/// One fact for each kind of place that the items of a request reach.
pub(crate) fn describe_places(request: &Request, call: &Call) -> Vec<DisplayText> {
    let mut facts: Vec<DisplayText> = Vec::new();
    for item in request.items.iter().filter(|item| item.part == Part::Named) {
        let (Some(action), Some(bounds)) = (&item.action, &item.bounds) else { continue };
        for place in list_places(action, bounds, call) {
            let verb = describe_access(action, place, call);
            let paths = find_paths(call, bounds, place);
            let text = if paths.is_empty() { verb } else { format!("{verb}: {paths}") };
            let fact = DisplayText::from_untrusted(&text);
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }
    facts
}

/// The place that the action stands for and the others, in order of precedence.
fn list_places(action: &Action, bounds: &ItemBounds, call: &Call) -> Vec<Place> {
    let own = match bounds.stands_for_place {
        StandsForPlace::No => None,
        StandsForPlace::Yes if action.verb().ends_with("_secret") => Some(Place::Secret),
        StandsForPlace::Yes if action.verb().ends_with("_guarded") => Some(Place::WriteGuarded),
        StandsForPlace::Yes if only_reads(action) => Some(Place::ReadOutside),
        StandsForPlace::Yes => Some(Place::WriteOutside),
    };
    let mut places: Vec<Place> = own.into_iter().chain(bounds.places.iter().copied()).collect();
    places.sort_unstable();
    places.dedup();
    // One path is not named twice: where it lies matters less than what it is.
    if call.command.is_none() && call.target.len() == 1 {
        places.truncate(1);
    }
    places
}

/// Whether a secret reaches the agent. What has been seen stays seen; of a command at a secret nobody
/// knows that it shows nothing.
pub(crate) fn shows_secret(request: &Request, call: &Call) -> bool {
    request.items.iter().filter(|item| item.part == Part::Named).any(|item| {
        let Some(action) = &item.action else { return false };
        let is_read = only_reads(action);
        let is_at_secret = item.bounds.as_ref().is_some_and(|bounds| {
            list_places(action, bounds, call).contains(&Place::Secret)
                && (is_read || call.command.is_some())
        });
        is_at_secret || (is_read && Place::Secret.is_named_by(action))
    })
}

fn describe_access(action: &Action, place: Place, call: &Call) -> String {
    let verb = match (call.command.is_some() || call.target.is_empty(), only_reads(action)) {
        (true, false) => "reaches",
        (_, true) => "reads",
        (false, false) => "changes",
    };
    if action.verb().starts_with("delete") {
        return match place {
            Place::Secret => "deletes a secret".to_owned(),
            Place::WriteGuarded => {
                "deletes files that other programs run, such as hooks".to_owned()
            }
            Place::WriteOutside | Place::ReadOutside => {
                "deletes outside of the workspace".to_owned()
            }
        };
    }
    match place {
        Place::Secret => format!("{verb} a secret"),
        Place::WriteGuarded => "writes a file that other programs run unasked".to_owned(),
        Place::WriteOutside => "writes outside of the workspace".to_owned(),
        Place::ReadOutside => "reads outside of the workspace".to_owned(),
    }
}

const READING_VERBS: [&str; 7] = ["read", "search", "list", "show", "view", "find", "status"];

fn only_reads(action: &Action) -> bool {
    READING_VERBS.iter().any(|verb| action.verb().starts_with(verb))
}

/// The paths that can be meant, as the call names them; for a command line the folders it acts in.
fn find_paths(call: &Call, bounds: &ItemBounds, place: Place) -> String {
    let is_outside = matches!(place, Place::WriteOutside | Place::ReadOutside);
    if call.command.is_some() {
        let folder = |bound: &Bound| match bound {
            Bound::Folder(folder) if is_outside => Some(folder.clone()),
            _ => None,
        };
        return list_paths(bounds.within.iter().filter_map(folder).collect());
    }
    let workspace = call.workspace();
    let is_meant = |path: &&String| !is_outside || !is_clearly_inside(path, workspace);
    let paths: Vec<String> = call.target.iter().filter(is_meant).cloned().collect();
    match paths.len() {
        0 | 1 => list_paths(paths),
        // Which one it is cannot be told from the names.
        _ => format!("one or more of {}", list_paths(paths)),
    }
}

/// Whether a path is below the workspace by its name. Nobody looks at the disk here.
fn is_clearly_inside(path: &str, workspace: Option<&str>) -> bool {
    let Some(workspace) = workspace else { return false };
    let rest = path.strip_prefix(workspace.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.starts_with('/') && !rest.contains("/.."))
}

fn list_paths(paths: Vec<String>) -> String {
    let more = paths.len().saturating_sub(limits::MAX_PLACE_PATHS);
    let shown: Vec<String> = paths.into_iter().take(limits::MAX_PLACE_PATHS).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
