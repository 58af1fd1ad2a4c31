//! Planted bugs in what places, classes, heads, bounds and pinned programs mean, as `planted_bugs`
//! plants them.

use super::planted_bugs::{finds_difference, finds_difference_in_case};
use countersign_core::model::danger::DangerKind;
use countersign_core::model::grant::{Coverage, Grant};
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::place::{Bound, Findings, PinnedProgram, Place};
use countersign_core::model::run_file::RunFileContent;
use countersign_core::model::time::Span;
use countersign_core::model::words::Risk;
use countersign_reference::scenario::{Scenario, ScenarioCall};

fn finds_difference_in_findings(alter: impl Fn(&mut Findings)) -> bool {
    finds_difference(|scenario| scenario.ruled.findings.iter_mut().for_each(&alter))
}

fn finds_difference_in_grants(alter: impl Fn(&mut Grant)) -> bool {
    finds_difference(|scenario| scenario.state.grants.iter_mut().for_each(&alter))
}

#[test]
fn ignored_places_are_found() {
    assert!(finds_difference_in_findings(|found| found.paths.clear()));
}

#[test]
fn ignored_dangers_are_found() {
    for kind in [DangerKind::Catastrophe, DangerKind::Shared, DangerKind::ForeignCode] {
        let ignore = |found: &mut Findings| found.dangers.retain(|danger| danger.kind != kind);
        assert!(finds_difference_in_findings(ignore), "{kind}");
    }
}

#[test]
fn a_noted_danger_that_counts_is_found() {
    assert!(finds_difference_in_findings(|found| {
        found.dangers.iter_mut().for_each(|danger| danger.kind = DangerKind::Shared);
    }));
}

#[test]
fn an_ignored_guarded_place_is_found() {
    let ignore = |found: &mut Findings| {
        found.paths.iter_mut().for_each(|path| path.retain(|place| *place != Place::WriteGuarded));
    };
    assert!(finds_difference_in_findings(ignore));
}

#[test]
fn an_action_for_a_place_that_is_never_used_is_found() {
    let is_for_place = |action: &Action| {
        let endings = ["_secret", "_guarded", "_outside_workspace"];
        endings.iter().any(|ending| action.verb().ends_with(ending))
    };
    let forget = |scenario: &mut Scenario| {
        let graphs = scenario.graph.iter_mut();
        graphs.for_each(|graph| graph.rules.retain(|action, _| !is_for_place(action)));
    };
    assert!(finds_difference(forget));
}

#[test]
fn another_order_of_the_places_is_found() {
    assert!(finds_difference_in_findings(|found| {
        found.paths.iter_mut().for_each(|path| path.reverse());
    }));
}

#[test]
fn the_ordinary_paths_of_a_call_with_a_place_are_found_to_count() {
    let forget = |found: &mut Findings| {
        if found.paths.iter().any(|path| !path.is_empty()) {
            found.paths.retain(|path| !path.is_empty());
        }
    };
    assert!(finds_difference_in_findings(forget));
}

/// Such a call has the risk of the place, but passes as the ordinary action does.
#[test]
fn reading_outside_that_is_not_held_back_is_found() {
    let raise_only = |scenario: &mut Scenario, attempt: &mut ScenarioCall| {
        let ScenarioCall::New(call) = attempt else { return };
        let mut paths = scenario.ruled.findings.iter_mut().flat_map(|found| &mut found.paths);
        let Some(path) = paths.find(|path| **path == [Place::ReadOutside]) else { return };
        path.clear();
        call.claims.risk = call.claims.risk.max(Some(Risk::Moderate));
    };
    assert!(finds_difference_in_case(raise_only));
}

#[test]
fn a_grant_that_reaches_every_place_is_found() {
    assert!(finds_difference_in_grants(|grant| grant.places = Place::ALL.to_vec()));
}

/// A class that names the action of the place itself is an ordinary action.
#[test]
fn a_grant_of_everything_for_an_action_at_a_place_is_found() {
    let rename = |scenario: &mut Scenario| {
        let Some(Graph { rules, .. }) = &scenario.graph else { return };
        for found in &mut scenario.ruled.findings {
            let place = found.paths.first().and_then(|path| path.first());
            let listed = place.zip(found.class.as_ref()).and_then(|(p, class)| p.action_for(class));
            if let (Some(listed), 1) = (listed, found.paths.len())
                && rules.contains_key(&listed)
            {
                (found.class, found.paths) = (Some(listed), Vec::new());
            }
        }
    };
    assert!(finds_difference(rename));
}

#[test]
fn ignored_bounds_are_found() {
    assert!(finds_difference_in_grants(|grant| grant.within = None));
}

#[test]
fn a_folder_compared_letter_by_letter_is_found() {
    let confuse = |found: &mut Findings| {
        let of_heads = found.heads.iter_mut().flat_map(|head| &mut head.within);
        for bound in found.within.iter_mut().chain(of_heads) {
            if *bound == Bound::Folder("/srv/ab".to_owned()) {
                *bound = Bound::Folder("/srv/a/b".to_owned());
            }
        }
    };
    assert!(finds_difference_in_findings(confuse));
}

#[test]
fn bounds_that_hold_for_a_call_without_any_are_found() {
    let fill = |scenario: &mut Scenario| {
        let bounds: Vec<Bound> = scenario
            .state
            .grants
            .iter()
            .flat_map(|g| g.within.clone().unwrap_or_default())
            .collect();
        for found in scenario.ruled.findings.iter_mut().filter(|found| found.within.is_empty()) {
            found.within.extend(bounds.first().cloned());
        }
    };
    assert!(finds_difference(fill));
}

#[test]
fn ignored_classes_are_found() {
    assert!(finds_difference_in_findings(|found| found.class = None));
}

#[test]
fn a_class_for_a_line_of_which_it_covers_only_a_part_is_found() {
    let spread = |scenario: &mut Scenario| {
        let class = scenario.ruled.findings.iter().find_map(|found| found.class.clone());
        let without = scenario.ruled.findings.iter_mut().filter(|found| found.class.is_none());
        without.for_each(|found| found.class.clone_from(&class));
    };
    assert!(finds_difference(spread));
}

#[test]
fn a_class_that_leaves_the_action_of_its_tool_is_found() {
    let keep = |scenario: &mut Scenario| {
        let tools = scenario.graph.iter_mut().flat_map(|graph| &mut graph.tools);
        tools.for_each(|mapping| mapping.actions.clear());
    };
    assert!(finds_difference(keep));
}

#[test]
fn a_class_with_the_categories_of_the_tool_is_found() {
    let keep = |_: &mut Scenario, attempt: &mut ScenarioCall| {
        let ScenarioCall::New(call) = attempt else { return };
        call.observed.categories.clone_from(&call.given);
    };
    assert!(finds_difference_in_case(keep));
}

#[test]
fn ignored_detectors_of_a_class_are_found() {
    assert!(finds_difference_in_findings(|found| found.detectors.clear()));
}

#[test]
fn a_head_without_its_subcommand_is_found() {
    let cut = |scenario: &mut Scenario| {
        let heads = scenario.ruled.findings.iter_mut().flat_map(|found| &mut found.heads);
        heads.for_each(|head| head.words.truncate(1));
        for grant in scenario.state.grants.iter_mut() {
            if let Coverage::Head { words, .. } = &mut grant.coverage {
                words.truncate(1);
            }
        }
    };
    assert!(finds_difference(cut));
}

#[test]
fn a_head_that_only_one_command_of_the_line_has_is_found() {
    let spread = |scenario: &mut Scenario| {
        let head = scenario.ruled.findings.first().map(|found| found.heads.clone());
        let head = head.unwrap_or_default();
        scenario.ruled.findings.iter_mut().for_each(|found| found.heads.clone_from(&head));
    };
    assert!(finds_difference(spread));
}

#[test]
fn a_line_that_one_of_its_heads_carries_is_found() {
    let cut = |found: &mut Findings| found.heads.truncate(1);
    assert!(finds_difference_in_findings(cut));
}

#[test]
fn the_bounds_of_another_command_of_the_line_are_found() {
    let forget = |found: &mut Findings| {
        let within = found.within.clone();
        found.heads.iter_mut().for_each(|head| head.within.clone_from(&within));
    };
    assert!(finds_difference_in_findings(forget));
}

#[test]
fn a_command_without_its_class_is_found() {
    let forget = |found: &mut Findings| found.heads.iter_mut().for_each(|head| head.class = None);
    assert!(finds_difference_in_findings(forget));
}

#[test]
fn unpinned_programs_that_count_as_pinned_are_found() {
    assert!(finds_difference(|scenario| scenario.ruled.programs.clear()));
}

#[test]
fn an_unreadable_program_that_counts_as_pinned_is_found() {
    let ignore = |scenario: &mut Scenario| {
        scenario.ruled.programs.retain(|program| !program.hash.is_empty());
    };
    assert!(finds_difference(ignore));
}

#[test]
fn a_pin_that_holds_for_changed_content_is_found() {
    let pinned = |grant: &Grant| match &grant.coverage {
        Coverage::Program(program) => Some(program.clone()),
        _ => None,
    };
    let accept = |scenario: &mut Scenario| {
        let pins: Vec<PinnedProgram> = scenario.state.grants.iter().filter_map(pinned).collect();
        for program in &mut scenario.ruled.programs {
            if let Some(pin) = pins.iter().find(|pin| pin.path == program.path) {
                *program = pin.clone();
            }
        }
    };
    assert!(finds_difference(accept));
}

#[test]
fn changed_files_that_are_not_compared_are_found() {
    assert!(finds_difference(|scenario| scenario.ruled.run_files.clear()));
}

#[test]
fn a_removed_file_that_counts_as_unchanged_is_found() {
    let ignore = |scenario: &mut Scenario| {
        scenario.ruled.run_files.retain(|file| file.content != RunFileContent::Absent);
    };
    assert!(finds_difference(ignore));
}

#[test]
fn a_new_file_that_counts_as_old_is_found() {
    let age = |scenario: &mut Scenario| {
        let old = scenario.now - Span::days(30);
        scenario.ruled.run_files.iter_mut().for_each(|file| file.changed_at = Some(old));
    };
    assert!(finds_difference(age));
}
