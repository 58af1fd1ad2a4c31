//! Reading is strict: what a case gets wrong is said with its place, all at once.

use countersign_stories::{read, run};

fn problems(text: &str) -> Vec<String> {
    match read("case.yaml", text.as_bytes()) {
        Ok(case) => match run(&case, None) {
            Ok(failures) => {
                failures.iter().map(|f| format!("{} != {}", f.got, f.expected)).collect()
            }
            Err(problems) => problems.iter().map(|problem| problem.message.clone()).collect(),
        },
        Err(problems) => problems
            .lines()
            .zip(problems.list())
            .map(|(line, p)| format!("{line} ({})", p.help))
            .collect(),
    }
}

const GRAPH: &str =
    "graph: {domains: {a: {autonomous: [r], requires_approval: [w], blocked: [x]}}}";

fn case(steps: &str) -> String {
    format!("story: a test\n{GRAPH}\nsteps:\n{steps}")
}

#[test]
fn a_misspelt_key_names_its_place_and_a_guess() {
    let found = problems(&case("  - {call: a.r, becuse: autonomous}\n"));
    assert_eq!(found, ["case.yaml:4:17: unknown key `becuse` (did you mean `because`?)"]);
}

#[test]
fn a_misspelt_step_names_a_guess() {
    let found = problems(&case("  - {cal: a.r}\n"));
    let expected = "case.yaml:4:5: this step does nothing that is known (did you mean `call`?)";
    assert_eq!(found, [expected]);
}

#[test]
fn a_misspelt_word_names_a_guess() {
    let found = problems(&case("  - {call: a.r, expect: alow}\n"));
    assert_eq!(found, ["case.yaml:4:25: `alow` is not known here (did you mean `allow`?)"]);
}

#[test]
fn a_name_never_given_is_an_error() {
    let found = problems(&case("  - {retry: nobody}\n"));
    let expected = "case.yaml:4:5: nothing before this step is named `nobody` (give the name with `as:` in an earlier step)";
    assert_eq!(found, [expected]);
}

#[test]
fn what_is_kept_is_named_and_stands_before() {
    let found = problems(&case("  - {keep: g}\n  - {grant: {action: a.w}, as: g}\n"));
    let expected = "case.yaml:4:5: nothing before this step is named `g` (give the name with `as:` in an earlier step)";
    assert_eq!(found, [expected]);
    let found = problems(&case("  - {keep: {action: a.w}}\n"));
    assert_eq!(found, ["case.yaml:4:12: expected a text, found a map (write a text here)"]);
}

#[test]
fn a_name_given_twice_is_an_error() {
    let found = problems(&case("  - {call: a.r, as: n}\n  - {call: a.r, as: n}\n"));
    assert_eq!(found, ["case.yaml:5:5: the name `n` is given twice (choose another name)"]);
}

#[test]
fn all_problems_are_said_at_once() {
    let found = problems(&case("  - {call: a.r, wiht: 1}\n  - {wait: soon}\n  - {grants: -1}\n"));
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn two_steps_in_one_are_an_error() {
    let found = problems(&case("  - {call: a.r, wait: 1m}\n"));
    assert_eq!(
        found,
        ["case.yaml:4:5: this step does 2 things at once (keep one of: `call`, `wait`)"]
    );
}

#[test]
fn a_case_without_story_steps_or_graph_is_none() {
    assert_eq!(problems("steps: []").len(), 2);
    assert_eq!(problems("story: x\nsteps:\n  - {call: a.r}\n"), ["the case has no graph"]);
    assert_eq!(problems("- 1").len(), 1);
    assert_eq!(problems("").len(), 1);
}

#[test]
fn a_graph_inside_a_case_is_validated_like_any_other() {
    let twice = "story: x\ngraph: {domains: {a: {autonomous: [r], requires_approval: [r], blocked: []}}}\nsteps:\n  - {call: a.r}\n";
    assert_eq!(problems(twice).len(), 1, "{:?}", problems(twice));
}

#[test]
fn an_expectation_that_does_not_hold_is_a_failure() {
    let steps = "  - {call: a.r, expect: ask, because: no_grant}\n  - {call: a.x, expect: allow}\n  - {grants: 3}\n  - {ledger: [grant_minted]}\n";
    let expected = [
        "allow != ask",
        "because autonomous != because no_grant",
        "deny != allow",
        "0 != 3",
        "ledger [] != ledger [grant_minted]",
    ];
    assert_eq!(problems(&case(steps)), expected);
}

#[test]
fn what_is_no_action_is_denied_as_malformed() {
    let steps = "  - {call: nonsense, expect: deny, because: malformed}\n  - {call: [], expect: deny, because: malformed}\n  - {call: a.r, confidence: 7, expect: deny, because: malformed}\n  - {call: a.r, confidence: .nan, expect: deny, because: malformed}\n";
    assert_eq!(problems(&case(steps)), Vec::<String>::new());
}

#[test]
fn arguments_that_cannot_be_recorded_are_malformed() {
    let large = "x".repeat(2 << 20);
    let steps = format!(
        "  - {{call: a.r, args: {{n: 9007199254740993}}, expect: deny, because: malformed}}\n  - {{call: a.r, args: {{t: {large}}}, expect: deny, because: malformed}}\n"
    );
    assert_eq!(problems(&case(&steps)), Vec::<String>::new());
}
