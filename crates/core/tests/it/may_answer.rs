//! The rule for answers as a table, and what must hold of it.
//!
//! A change of the rule shows up as a readable diff of the table. To accept one, run the test with
//! `INSTA_UPDATE=always` and read the diff.

use countersign_core::model::answering::{AnswerProof, ShownExtent, SurfaceKind};
use countersign_core::model::ids::{IdGenerator, RequestId};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Assurance, Choice, Covers, Risk};
use countersign_core::steps::may_answer::{
    AnswerConditions, AnswerNotCounted, check_answer, needed_proof, reaches_operator,
};
use std::fmt::Write;

/// Every combination of conditions.
fn every_condition() -> Vec<AnswerConditions> {
    let mut all = Vec::new();
    for &surface in SurfaceKind::ALL {
        for &assurance in Assurance::ALL {
            for &risk in Risk::ALL {
                for &shown in ShownExtent::ALL {
                    for &proof in AnswerProof::ALL {
                        let covers = None;
                        all.push(AnswerConditions {
                            surface,
                            assurance,
                            risk,
                            shown,
                            proof,
                            covers,
                        });
                    }
                }
            }
        }
    }
    all
}

fn counts(choice: Choice, given: AnswerConditions) -> bool {
    check_answer(choice, &given).is_ok()
}

/// Every yes that counts.
fn every_counted_yes() -> Vec<(Choice, AnswerConditions)> {
    let is_yes = |choice: &&Choice| **choice != Choice::Decline;
    let choices = || Choice::ALL.iter().filter(is_yes).copied();
    let all = every_condition();
    let pairs = all.into_iter().flat_map(|given| choices().map(move |choice| (choice, given)));
    pairs.filter(|(choice, given)| counts(*choice, *given)).collect()
}

fn name(why: AnswerNotCounted) -> &'static str {
    match why {
        AnswerNotCounted::FromAgent => "from agent",
        AnswerNotCounted::OtherVersion => "other version",
        AnswerNotCounted::OtherUser => "other user",
        AnswerNotCounted::TooRiskyForDialog => "too risky",
        AnswerNotCounted::NotShown => "not shown",
        AnswerNotCounted::NeedsSecondYes => "second yes",
        AnswerNotCounted::NeedsTypedText => "typed text",
    }
}

const ALL_REASONS: [AnswerNotCounted; 7] = [
    AnswerNotCounted::FromAgent,
    AnswerNotCounted::OtherVersion,
    AnswerNotCounted::OtherUser,
    AnswerNotCounted::TooRiskyForDialog,
    AnswerNotCounted::NotShown,
    AnswerNotCounted::NeedsSecondYes,
    AnswerNotCounted::NeedsTypedText,
];

/// What a yes does: `yes` for every choice, `but project` for every narrower one, or why it does not
/// count.
fn cell(given: &AnswerConditions) -> &'static str {
    let narrow = [Choice::Once, Choice::Run, Choice::Quarter, Choice::Session];
    let verdicts = narrow.map(|choice| check_answer(choice, given));
    assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "{given:?}: {verdicts:?}");
    match (verdicts[0], check_answer(Choice::Project, given)) {
        (Ok(()), Ok(())) => "yes",
        (Ok(()), Err(AnswerNotCounted::NeedsSecondYes)) => "but project",
        (Err(why), Err(project)) if why == project => name(why),
        other => panic!("{given:?}: {other:?} has no word in the table"),
    }
}

/// Levels, extents and proofs with the same cells, and how many combinations of them were asked about.
#[derive(Debug)]
struct SameCells {
    cells: Vec<&'static str>,
    names: [Vec<&'static str>; 3],
    count: usize,
}

/// One row for the levels, extents and proofs that have the same cells. Where such a row would say too
/// much, each level has rows of its own.
fn rows(surface: SurfaceKind) -> Vec<String> {
    let together = group_rows(surface, Assurance::ALL);
    let groups = match together.iter().all(is_product) {
        true => together,
        false => Assurance::ALL.iter().flat_map(|level| group_rows(surface, &[*level])).collect(),
    };
    assert!(groups.iter().all(is_product), "a row says more than was asked: {groups:?}");
    groups.iter().map(|same| row(surface, &same.names, &same.cells)).collect()
}

fn is_product(same: &SameCells) -> bool {
    same.names.iter().map(Vec::len).product::<usize>() == same.count
}

fn group_rows(surface: SurfaceKind, levels: &[Assurance]) -> Vec<SameCells> {
    let mut same: Vec<SameCells> = Vec::new();
    for &assurance in levels {
        for &shown in ShownExtent::ALL {
            for &proof in AnswerProof::ALL {
                let covers = None;
                let at = |risk| AnswerConditions { surface, assurance, risk, shown, proof, covers };
                let cells: Vec<&str> = Risk::ALL.iter().map(|risk| cell(&at(*risk))).collect();
                let words = [assurance.word(), shown.word(), proof.word()];
                match same.iter_mut().find(|known| known.cells == cells) {
                    None => {
                        let names = words.map(|word| vec![word]);
                        same.push(SameCells { cells, names, count: 1 });
                    }
                    Some(known) => {
                        known.count += 1;
                        for (names, word) in known.names.iter_mut().zip(words) {
                            if !names.contains(&word) {
                                names.push(word);
                            }
                        }
                    }
                }
            }
        }
    }
    same
}

fn row(surface: SurfaceKind, names: &[Vec<&str>; 3], cells: &[&str]) -> String {
    let totals = [Assurance::ALL.len(), ShownExtent::ALL.len(), AnswerProof::ALL.len()];
    let named = names.iter().zip(totals).map(|(names, total)| match names.len() == total {
        true => "any".to_owned(),
        false => names.join(", "),
    });
    let [level, shown, proof]: [String; 3] = named.collect::<Vec<_>>().try_into().unwrap();
    let mut row = format!("{:<15}{level:<7}{shown:<15}{proof:<23}", surface.word());
    cells.iter().for_each(|cell| write!(row, "{cell:<15}").unwrap());
    row.trim_end().to_owned()
}

fn table() -> String {
    let mut lines = vec![format!("{:<15}{:<7}{:<15}{:<23}", "surface", "level", "shown", "proof")];
    Risk::ALL.iter().for_each(|risk| write!(lines[0], "{risk:<15}").unwrap());
    lines[0] = lines[0].trim_end().to_owned();
    for &surface in SurfaceKind::ALL {
        lines.push(String::new());
        lines.extend(rows(surface));
    }
    lines.push(String::new());
    lines.push("yes            a yes counts".to_owned());
    lines.push(
        "but project    a yes counts, but for a whole project it needs a second yes".to_owned(),
    );
    let id = RequestId::generate(&IdGenerator::new(Time::from_micros(0), 0));
    for why in ALL_REASONS {
        let remedy = why.remedy(id).replace(&id.to_string(), "ID");
        lines.push(format!("{:<15}{why}; {remedy}", name(why)));
    }
    lines.join("\n")
}

#[test]
fn the_rule_for_answers_is_the_committed_table() {
    insta::assert_snapshot!(table());
}

#[test]
fn every_reason_occurs() {
    for why in ALL_REASONS {
        let occurs = every_condition().into_iter().any(|given| {
            Choice::ALL.iter().any(|choice| check_answer(*choice, &given) == Err(why))
        });
        assert!(occurs, "{why:?} never occurs");
    }
}

#[test]
fn nothing_carries_critical_without_a_proof_that_differs_from_a_key_press() {
    for (choice, given) in every_counted_yes() {
        let is_typed = given.proof == AnswerProof::TypedText;
        assert!(given.risk < Risk::Critical || is_typed, "{choice} {given:?}");
    }
}

#[test]
fn critical_is_carried_by_operator_embedder_and_what_is_typed_where_no_agent_reaches() {
    for (choice, given) in every_counted_yes() {
        let can_prove = match given.surface {
            SurfaceKind::Operator | SurfaceKind::Embedder => true,
            SurfaceKind::Conversation => given.assurance == Assurance::Separated,
            SurfaceKind::ProgramPrompt | SurfaceKind::ClientDialog | SurfaceKind::Agent => false,
        };
        assert!(given.risk < Risk::Critical || can_prove, "{choice} {given:?}");
    }
}

#[test]
fn a_programs_prompt_carries_nothing_where_agents_run_as_other_users() {
    for (choice, given) in every_counted_yes() {
        let is_prompt = given.surface == SurfaceKind::ProgramPrompt;
        assert!(!is_prompt || given.assurance == Assurance::Shared, "{choice} {given:?}");
    }
}

#[test]
fn what_another_program_draws_carries_nothing_unless_it_shows_the_whole_call() {
    for (choice, given) in every_counted_yes() {
        let is_drawn_elsewhere =
            matches!(given.surface, SurfaceKind::ProgramPrompt | SurfaceKind::ClientDialog);
        assert!(!is_drawn_elsewhere || given.shown == ShownExtent::Whole, "{choice} {given:?}");
    }
}

#[test]
fn a_clients_dialog_carries_at_most_moderate_risk() {
    for (choice, given) in every_counted_yes() {
        let is_dialog = given.surface == SurfaceKind::ClientDialog;
        assert!(!is_dialog || given.risk <= Risk::Moderate, "{choice} {given:?}");
    }
}

#[test]
fn high_risk_is_approved_only_where_the_whole_call_was_shown() {
    for (choice, given) in every_counted_yes() {
        let is_whole = given.shown == ShownExtent::Whole;
        assert!(given.risk < Risk::High || is_whole, "{choice} {given:?}");
    }
}

#[test]
fn an_agent_answers_nothing_not_even_with_a_no() {
    for given in every_condition() {
        let is_agent = given.surface == SurfaceKind::Agent;
        assert_eq!(reaches_operator(given.surface), !is_agent);
        for choice in Choice::ALL {
            assert!(!is_agent || !counts(*choice, given), "{choice} {given:?}");
        }
    }
}

#[test]
fn a_no_counts_from_every_surface_that_reaches_the_operator() {
    for given in every_condition() {
        let is_about_this = given.shown > ShownExtent::OtherVersion;
        let expected = is_about_this && reaches_operator(given.surface);
        assert_eq!(counts(Choice::Decline, given), expected, "{given:?}");
    }
}

/// Less risk, more shown and a stronger proof never turn a yes that counts into a refusal. So neither
/// does the opposite turn a refusal into a yes.
#[test]
fn lower_risk_more_shown_and_stronger_proof_never_refuse_a_yes() {
    for (choice, given) in every_counted_yes() {
        for risk in Risk::ALL.iter().filter(|risk| **risk < given.risk) {
            assert!(
                counts(choice, AnswerConditions { risk: *risk, ..given }),
                "{choice} {given:?}"
            );
        }
        for shown in ShownExtent::ALL.iter().filter(|shown| **shown > given.shown) {
            let more = AnswerConditions { shown: *shown, ..given };
            assert!(counts(choice, more), "{choice} {given:?}");
        }
        for proof in AnswerProof::ALL.iter().filter(|proof| **proof > given.proof) {
            let stronger = AnswerConditions { proof: *proof, ..given };
            assert!(counts(choice, stronger), "{choice} {given:?}");
        }
    }
}

/// Agents that are separated better must not be able to answer more. What was typed in the conversation
/// is another matter: only there is it sure that no agent typed it.
#[test]
fn a_higher_level_of_assurance_never_accepts_more() {
    let is_typed = |given: &AnswerConditions| {
        given.surface == SurfaceKind::Conversation && given.proof > AnswerProof::KeyPress
    };
    for (choice, given) in every_counted_yes().into_iter().filter(|(_, given)| !is_typed(given)) {
        for level in Assurance::ALL.iter().filter(|level| **level < given.assurance) {
            let lower = AnswerConditions { assurance: *level, ..given };
            assert!(counts(choice, lower), "{choice} {given:?}");
        }
    }
}

#[test]
fn a_yes_for_the_project_needs_no_less_than_any_other() {
    for (choice, given) in every_counted_yes() {
        let is_wider = choice == Choice::Project;
        assert!(!is_wider || counts(Choice::Once, given), "{given:?}");
    }
}

/// A card asks for this proof, so that the answer to it counts.
#[test]
fn the_proof_that_a_card_asks_for_is_the_weakest_that_counts() {
    for given in every_condition().into_iter().filter(|g| g.surface == SurfaceKind::Operator) {
        let given = AnswerConditions { shown: ShownExtent::Whole, ..given };
        for choice in Choice::ALL {
            let needed = needed_proof(*choice, given.covers, given.risk);
            assert_eq!(counts(*choice, given), given.proof >= needed, "{choice} {given:?}");
        }
    }
}

#[test]
fn a_head_for_a_project_needs_a_second_yes_at_any_risk() {
    let at = |risk, covers| needed_proof(Choice::Project, covers, risk);
    assert_eq!(at(Risk::Low, Some(Covers::Head)), AnswerProof::SecondYes);
    assert_eq!(at(Risk::Moderate, Some(Covers::Head)), AnswerProof::SecondYes);
    assert_eq!(at(Risk::Moderate, Some(Covers::Command)), AnswerProof::KeyPress);
    assert_eq!(
        needed_proof(Choice::Session, Some(Covers::Head), Risk::High),
        AnswerProof::KeyPress
    );
}
