//! Random findings about commands, paths and programs: few bounds, heads and programs, so that they
//! match what grants name.

use super::{Scenario, names};
use crate::rng::Rng;
use countersign_core::model::danger::{Danger, DangerKind};
use countersign_core::model::grant::{Coverage, Grant};
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::place::{
    Bound, CommandHead, ConsentReach, Findings, GitRemote, GitRepository, HeadOptions,
    PinnedProgram, Place,
};
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::run_file::{RunFile, RunFileContent};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::Detector;

/// Replaces the findings and programs of a ruling.
pub fn set_random_findings(ruled: &mut RuleResults, rng: &mut Rng) -> Option<()> {
    let classed = match rng.below(10) {
        0..5 => 100,
        5..8 => 0,
        _ => 60,
    };
    let count = *rng.pick(&[1, 1, 2, 2, 3])?;
    ruled.findings = (0..count).map(|_| generate_finding(rng, classed)).collect::<Option<_>>()?;
    let count = *rng.pick(&[0, 0, 0, 1, 1, 2])?;
    ruled.programs = (0..count).map(|_| pick_program(rng)).collect::<Option<_>>()?;
    Some(())
}

/// Files that decide what a line executes: few, so that a session knows some of them.
pub fn set_random_run_files(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    let hash = |text: &str| RunFileContent::Hash(text.to_owned());
    let contents =
        [hash("aa"), hash("aa"), hash("bb"), RunFileContent::Absent, RunFileContent::Unreadable];
    let times = [
        None,
        Some(scenario.now),
        Some(scenario.now - Span::days(2)),
        Some(Time::parse(super::STARTS_AT)? - Span::seconds(2)),
    ];
    for path in ["/w/Makefile", "/w/package.json"].into_iter().take(1 + rng.below(2)) {
        let path = path.to_owned();
        let content = rng.pick(&contents)?.clone();
        let (changed_at, difference) = (*rng.pick(&times)?, String::new());
        scenario.ruled.run_files.push(RunFile { path, content, changed_at, difference });
    }
    Some(())
}

fn generate_finding(rng: &mut Rng, classed: usize) -> Option<Findings> {
    let class = if rng.chance(classed) { Some(names::pick_action(rng)?) } else { None };
    let paths = *rng.pick(&[0, 0, 1, 1, 2])?;
    let bounds = *rng.pick(&[0, 1, 1, 1, 2])?;
    Some(Findings {
        class,
        heads: generate_heads(rng)?,
        detectors: if rng.chance(8) { vec![Detector::Force] } else { Vec::new() },
        dangers: if rng.chance(12) { vec![pick_danger(rng)?] } else { Vec::new() },
        paths: (0..paths).map(|_| generate_places(rng)).collect(),
        widest: if rng.chance(5) { ConsentReach::Once } else { ConsentReach::Open },
        within: (0..bounds).map(|_| pick_bound(rng)).collect::<Option<_>>()?,
    })
}

/// Mostly one. In a line of several kinds, a command may have a class of its own.
fn generate_heads(rng: &mut Rng) -> Option<Vec<CommandHead>> {
    let count = *rng.pick(&[0, 0, 1, 1, 1, 1, 2, 2])?;
    (0..count).map(|_| generate_head(rng)).collect()
}

fn generate_head(rng: &mut Rng) -> Option<CommandHead> {
    let class = if rng.chance(25) { Some(names::pick_action(rng)?) } else { None };
    let words = if class.is_some() && rng.chance(30) { Vec::new() } else { pick_head(rng)? };
    let bounds = *rng.pick(&[0, 1, 1, 1])?;
    Some(CommandHead {
        words,
        class,
        options: HeadOptions::Known,
        within: (0..bounds).map(|_| pick_bound(rng)).collect::<Option<_>>()?,
    })
}

fn pick_danger(rng: &mut Rng) -> Option<Danger> {
    let kind = *rng.pick(DangerKind::ALL)?;
    Some(Danger { kind, does: "deletes".to_owned(), what: "something".to_owned() })
}

/// The places of one path, in order of precedence: none for an ordinary path.
fn generate_places(rng: &mut Rng) -> Vec<Place> {
    let outside = if rng.chance(50) { Some(Place::WriteOutside) } else { Some(Place::ReadOutside) };
    let all = [Some(Place::Secret), Some(Place::WriteGuarded), outside];
    let chances = [15, 20, 35];
    all.into_iter()
        .zip(chances)
        .filter_map(|(place, percent)| place.filter(|_| rng.chance(percent)))
        .collect()
}

pub fn pick_head(rng: &mut Rng) -> Option<Vec<String>> {
    let head = rng.pick(&["git push", "git push", "git pull", "git"])?;
    Some(head.split(' ').map(str::to_owned).collect())
}

/// One folder lies below another, and one only begins with the same letters.
pub fn pick_bound(rng: &mut Rng) -> Option<Bound> {
    let bounds = [
        Bound::Workspace,
        Bound::Workspace,
        Bound::Folder("/srv/a".to_owned()),
        Bound::Folder("/srv/a/b".to_owned()),
        Bound::Folder("/srv/ab".to_owned()),
        Bound::Host("here.example".to_owned()),
        Bound::Host(String::new()),
        Bound::Remote("origin".to_owned()),
        Bound::ToolAs { tool: Tool::parse("sh").ok()?, definition: "d1".to_owned() },
        Bound::ToolAs { tool: Tool::parse("sh").ok()?, definition: "d2".to_owned() },
        git_remote(GitRepository::Own, "https://here.example/a"),
        git_remote(GitRepository::Own, ""),
        git_remote(GitRepository::At("/w/nested/.git".to_owned()), "https://here.example/a"),
    ];
    rng.pick(&bounds).cloned()
}

/// Without an address, nobody knows where it leads.
fn git_remote(repository: GitRepository, address: &str) -> Bound {
    let addresses = if address.is_empty() { Vec::new() } else { vec![address.to_owned()] };
    Bound::GitRemote(GitRemote { name: "origin".to_owned(), repository, addresses })
}

/// Two contents of one program, another program, and one that nobody can read.
pub fn pick_program(rng: &mut Rng) -> Option<PinnedProgram> {
    let programs = [
        ("/opt/git", "aa"),
        ("/opt/git", "aa"),
        ("/opt/git", "bb"),
        ("/opt/make", "cc"),
        ("/opt/odd", ""),
    ];
    let (path, hash) = *rng.pick(&programs)?;
    Some(PinnedProgram { path: path.to_owned(), hash: hash.to_owned() })
}

/// Makes the findings such that a grant of the scenario covers them, or nearly does.
pub fn fit_findings_to_grant(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    let Some(grant) = pick_grant_with_terms(scenario, rng) else { return Some(()) };
    let ruled = &mut scenario.ruled;
    if ruled.findings.is_empty() {
        set_random_findings(ruled, rng)?;
    }
    let (as_class, at_place) = (rng.chance(70), rng.chance(70));
    for found in &mut ruled.findings {
        fit_finding(found, &grant);
        if at_place {
            found.paths = vec![grant.places.clone()];
            found.paths.extend(rng.chance(40).then(Vec::new));
        }
        match (as_class, granted_action(&grant)) {
            (true, Some(action)) => found.class = Some(action.clone()),
            // In a line of several kinds.
            (false, Some(action)) => {
                found.class = None;
                found.heads.iter_mut().for_each(|head| head.class = Some(action.clone()));
            }
            (_, None) => {}
        }
    }
    // One command of the line may differ.
    match (ruled.findings.last_mut(), rng.below(10)) {
        (Some(last), 0..2) => last.heads.push(generate_head(rng)?),
        (Some(last), 2..4) => last.heads = vec![generate_head(rng)?],
        (Some(last), 4) => last.within = vec![pick_bound(rng)?],
        (_, _) => {}
    }
    fit_programs(ruled, &grant, rng);
    Some(())
}

/// A grant with a head, a pin, bounds or places.
fn pick_grant_with_terms(scenario: &Scenario, rng: &mut Rng) -> Option<Grant> {
    let is_head = |grant: &Grant| matches!(grant.coverage, Coverage::Head { .. });
    let is_pin = |grant: &Grant| matches!(grant.coverage, Coverage::Program(_));
    let only_heads = rng.chance(60);
    let has_terms = |grant: &&Grant| match only_heads {
        true => is_head(grant),
        false => is_pin(grant) || grant.within.is_some() || !grant.places.is_empty(),
    };
    let grants: Vec<&Grant> = scenario.state.grants.iter().filter(has_terms).collect();
    rng.pick(&grants).map(|grant| (*grant).clone())
}

fn granted_action(grant: &Grant) -> Option<&Action> {
    match &grant.coverage {
        Coverage::Head { action, .. } | Coverage::Action(action) => Some(action),
        Coverage::Digest { action, .. } => Some(action),
        _ => None,
    }
}

fn fit_finding(found: &mut Findings, grant: &Grant) {
    let within = grant.within.clone().unwrap_or_default();
    if let Coverage::Head { words, .. } = &grant.coverage {
        found.heads = vec![CommandHead {
            words: words.clone(),
            class: None,
            options: HeadOptions::Known,
            within: within.clone(),
        }];
        found.detectors.clear();
        found.dangers.clear();
    }
    found.within = within;
}

fn fit_programs(ruled: &mut RuleResults, grant: &Grant, rng: &mut Rng) {
    match &grant.coverage {
        Coverage::Program(program) => {
            ruled.programs = vec![program.clone()];
            if rng.chance(30) {
                let changed = if program.hash == "aa" { "bb" } else { "aa" };
                ruled.programs.iter_mut().for_each(|p| changed.clone_into(&mut p.hash));
            }
        }
        _ if rng.chance(80) => ruled.programs.clear(),
        _ => {}
    }
}
