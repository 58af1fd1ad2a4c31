//! Parsing is strict: it reports all problems of a case at once, each with its position.

use countersign_stories::{parse_case, run_case};

fn find_problems(text: &str) -> Vec<String> {
    match parse_case("case.yaml", text.as_bytes()) {
        Ok(case) => match run_case(&case, None) {
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

fn case_text(steps: &str) -> String {
    format!("story: a test\n{GRAPH}\nsteps:\n{steps}")
}

#[test]
fn a_misspelt_key_is_reported_with_position_and_suggestion() {
    let problems = find_problems(&case_text("  - {call: a.r, becuse: autonomous}\n"));
    assert_eq!(problems, ["case.yaml:4:17: unknown key `becuse` (did you mean `because`?)"]);
}

#[test]
fn a_case_may_carry_a_tag_that_nothing_reads() {
    let text = format!("seed: 002\n{}", case_text("  - {call: a.r, expect: allow}\n"));
    assert_eq!(find_problems(&text), Vec::<String>::new());
}

#[test]
fn a_misspelt_step_key_is_reported_with_a_suggestion() {
    let problems = find_problems(&case_text("  - {cal: a.r}\n"));
    let expected = "case.yaml:4:5: this step has no known step key (did you mean `call`?)";
    assert_eq!(problems, [expected]);
}

#[test]
fn a_misspelt_value_is_reported_with_a_suggestion() {
    let problems = find_problems(&case_text("  - {call: a.r, expect: alow}\n"));
    assert_eq!(
        problems,
        ["case.yaml:4:25: `alow` is not a valid value here (did you mean `allow`?)"]
    );
}

#[test]
fn an_undefined_name_is_an_error() {
    let problems = find_problems(&case_text("  - {retry: nobody}\n"));
    let expected = "case.yaml:4:5: no earlier step defines the name `nobody` (define the name with `as:` in an earlier step)";
    assert_eq!(problems, [expected]);
}

#[test]
fn a_keep_step_takes_a_name_that_an_earlier_step_defines() {
    let problems = find_problems(&case_text("  - {keep: g}\n  - {grant: {action: a.w}, as: g}\n"));
    let expected = "case.yaml:4:5: no earlier step defines the name `g` (define the name with `as:` in an earlier step)";
    assert_eq!(problems, [expected]);
    let problems = find_problems(&case_text("  - {keep: {action: a.w}}\n"));
    assert_eq!(problems, ["case.yaml:4:12: expected a text, found a map (write a text here)"]);
}

#[test]
fn a_name_defined_twice_is_an_error() {
    let problems = find_problems(&case_text("  - {call: a.r, as: n}\n  - {call: a.r, as: n}\n"));
    assert_eq!(problems, ["case.yaml:5:5: the name `n` is defined twice (choose another name)"]);
}

#[test]
fn all_problems_are_reported_at_once() {
    let problems =
        find_problems(&case_text("  - {call: a.r, wiht: 1}\n  - {wait: soon}\n  - {grants: -1}\n"));
    assert_eq!(problems.len(), 3, "{problems:?}");
}

#[test]
fn a_step_with_two_step_keys_is_an_error() {
    let problems = find_problems(&case_text("  - {call: a.r, wait: 1m}\n"));
    assert_eq!(
        problems,
        ["case.yaml:4:5: this step has 2 step keys (keep one of: `call`, `wait`)"]
    );
}

#[test]
fn a_case_without_story_steps_or_graph_is_an_error() {
    assert_eq!(find_problems("steps: []").len(), 2);
    assert_eq!(find_problems("story: x\nsteps:\n  - {call: a.r}\n"), ["the case has no graph"]);
    assert_eq!(find_problems("- 1").len(), 1);
    assert_eq!(find_problems("").len(), 1);
}

#[test]
fn policies_inside_a_case_are_validated_and_need_a_graph_that_names_them() {
    let with = |graph: &str, policies: &str| {
        format!("story: x\n{graph}policies: |\n  {policies}\nsteps:\n  - {{call: a.r}}\n")
    };
    let domains = "domains: {a: {autonomous: [r], requires_approval: [], blocked: []}}";
    let (naming, silent) =
        (format!("graph: {{rules: p, {domains}}}\n"), format!("graph: {{{domains}}}\n"));
    let forbid = "forbid(principal, action == Action::\"a.r\", resource);";
    for graph in ["", silent.as_str()] {
        let problems = find_problems(&with(graph, forbid));
        assert!(problems.iter().any(|p| p.contains("would not count")), "{problems:?}");
    }
    assert_eq!(find_problems(&with(&naming, "forbid(")).len(), 1);
    let unknown = "forbid(principal, action == Action::\"a.x\", resource);";
    assert_eq!(find_problems(&with(&naming, unknown)).len(), 1);
}

#[test]
fn a_graph_inside_a_case_is_validated() {
    let twice = "story: x\ngraph: {domains: {a: {autonomous: [r], requires_approval: [r], blocked: []}}}\nsteps:\n  - {call: a.r}\n";
    assert_eq!(find_problems(twice).len(), 1, "{:?}", find_problems(twice));
}

#[test]
fn an_unmet_expectation_is_a_failure() {
    let steps = "  - {call: a.r, expect: ask, because: no_grant}\n  - {call: a.x, expect: allow}\n  - {grants: 3}\n  - {ledger: [grant_minted]}\n";
    let expected = [
        "allow != ask",
        "because autonomous != because no_grant",
        "deny != allow",
        "0 != 3",
        "ledger [] != ledger [grant_minted]",
    ];
    assert_eq!(find_problems(&case_text(steps)), expected);
}

#[test]
fn an_invalid_call_is_denied_as_malformed() {
    let steps = "  - {call: nonsense, expect: deny, because: malformed}\n  - {call: [], expect: deny, because: malformed}\n  - {call: a.r, confidence: 7, expect: deny, because: malformed}\n  - {call: a.r, confidence: .nan, expect: deny, because: malformed}\n";
    assert_eq!(find_problems(&case_text(steps)), Vec::<String>::new());
}

#[test]
fn arguments_that_cannot_be_recorded_are_denied_as_malformed() {
    let large = "x".repeat(2 << 20);
    let steps = format!(
        "  - {{call: a.r, args: {{n: 9007199254740993}}, expect: deny, because: malformed}}\n  - {{call: a.r, args: {{t: {large}}}, expect: deny, because: malformed}}\n"
    );
    assert_eq!(find_problems(&case_text(&steps)), Vec::<String>::new());
}
