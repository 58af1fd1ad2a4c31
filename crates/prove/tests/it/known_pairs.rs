//! Pairs of graphs with known results.

use crate::fixture::{GRAPH, TestGraph, load_test_graph, result_lines, run_proof};

fn check_policies(old: &str, new: &str, expected: &[&str]) {
    check_graphs(&load_test_graph(GRAPH, old), &load_test_graph(GRAPH, new), expected);
}

fn check_graphs(old: &TestGraph, new: &TestGraph, expected: &[&str]) {
    let proof = run_proof(old, new);
    assert_eq!(result_lines(&proof), expected);
}

#[test]
fn a_graph_allows_nothing_new_against_itself() {
    let policies = "permit(principal, action == Action::\"files.write\", resource)
        when { context.facts.under.contains(\"/tmp\") };";
    check_policies("", "", &[]);
    check_policies(policies, policies, &[]);
}

#[test]
fn every_listed_action_and_all_others_are_proved_at_both_levels() {
    let graph = load_test_graph(GRAPH, "");
    let proof = run_proof(&graph, &graph);
    let asked: Vec<_> = proof
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.subject, finding.level.word()))
        .collect();
    let subjects = [
        "files.delete",
        "files.read",
        "files.wipe",
        "files.write",
        "money.pay",
        "any other of files",
        "any other of money",
        "any other action",
    ];
    let levels = ["without asking", "with approval"];
    let expected: Vec<_> = subjects
        .iter()
        .flat_map(|subject| levels.map(|level| format!("{subject} {level}")))
        .collect();
    assert_eq!(asked, expected);
    assert!(proof.solver.contains("cvc5"), "{}", proof.solver);
}

#[test]
fn an_equivalent_policy_allows_nothing_new() {
    check_policies(
        "forbid(principal, action == Action::\"files.read\", resource)
           when { context.facts.secret || context.facts.under.contains(\"/etc\") };",
        "@id(\"a\") forbid(principal, action == Action::\"files.read\", resource)
           unless { !(context.facts.secret) };
         @id(\"b\") forbid(principal, action == Action::\"files.read\", resource)
           when { [\"/etc\"].containsAny([\"/etc\"]) && context.facts.under.containsAll([\"/etc\"]) };",
        &[],
    );
}

#[test]
fn a_wider_folder_is_shown_by_a_path_outside_the_narrower_one() {
    let policy = |folder: &str| {
        format!(
            "permit(principal, action == Action::\"files.write\", resource)
             when {{ context.facts.under.contains(\"{folder}\") }};"
        )
    };
    let expected = "files.write without asking: path /file.txt, outside of the workspace \
                 (requires_approval to autonomous)";
    check_policies(&policy("/tmp"), &policy("/"), &[expected]);
    check_policies(&policy("/"), &policy("/tmp"), &[]);
}

#[test]
fn removing_a_redundant_forbid_allows_nothing_new() {
    let wide = "@id(\"wide\") forbid(principal, action == Action::\"files.read\", resource)
        when { context.facts.under.contains(\"/etc\") };";
    let narrow = "@id(\"narrow\") forbid(principal, action == Action::\"files.read\", resource)
        when { context.facts has path && context.facts.path == \"/etc/ssl/key\" };";
    check_policies(&format!("{wide}{narrow}"), wide, &[]);
    let expected = [
        "files.read without asking: path /etc/file.txt, outside of the workspace \
         (blocked to autonomous)",
        "files.read with approval: path /etc/file.txt, outside of the workspace \
         (blocked to autonomous)",
    ];
    check_policies(&format!("{wide}{narrow}"), narrow, &expected);
}

#[test]
fn an_integer_limit_is_compared_exactly() {
    let policy = |condition: &str| {
        format!(
            "permit(principal, action == Action::\"money.pay\", resource) when {{ \
             context.facts has amount && context.facts.amount {condition} && \
             context.facts has currency && context.facts.currency == \"EUR\" }};"
        )
    };
    check_policies(&policy("< 5000"), &policy("<= 4999"), &[]);
    let expected = "money.pay without asking: amount 5000 in minor units, EUR \
                 (requires_approval to autonomous)";
    check_policies(&policy("< 5000"), &policy("<= 5000"), &[expected]);
}

#[test]
fn a_policy_for_a_domain_also_covers_unlisted_actions() {
    let each = "permit(principal, action in [Action::\"files.read\", Action::\"files.write\", \
                Action::\"files.delete\"], resource) when { context.facts.in_workspace };";
    let domain = "permit(principal, action in Action::\"files\", resource) \
                  when { context.facts.in_workspace };";
    // An unlisted action is never autonomous, and a blocked one stays blocked.
    check_policies(each, domain, &[]);
    let forbid = |head: &str| format!("forbid(principal, {head}, resource);");
    let listed = "action in [Action::\"files.read\", Action::\"files.write\", \
                  Action::\"files.delete\", Action::\"files.wipe\"]";
    let expected = "any other of files with approval:  (blocked to requires_approval)";
    check_policies(&forbid("action in Action::\"files\""), &forbid(listed), &[expected]);
}

#[test]
fn an_action_that_moves_to_a_looser_list_is_newly_allowed() {
    let moved =
        GRAPH.replace("[read]", "[read, write]").replace("[write, delete]", "[delete, wipe]");
    let moved = moved.replace("blocked: [wipe]", "blocked: []");
    let expected = [
        "files.wipe with approval:  (blocked to requires_approval)",
        "files.write without asking:  (requires_approval to autonomous)",
    ];
    check_graphs(&load_test_graph(GRAPH, ""), &load_test_graph(&moved, ""), &expected);
    check_graphs(&load_test_graph(&moved, ""), &load_test_graph(GRAPH, ""), &[]);
}

#[test]
fn an_autonomous_action_under_a_forbid_is_not_newly_allowed() {
    let moved = GRAPH.replace("[read]", "[read, write]").replace("[write, delete]", "[delete]");
    let forbid = "forbid(principal, action == Action::\"files.write\", resource) \
                unless { context.approved };";
    check_graphs(&load_test_graph(GRAPH, ""), &load_test_graph(&moved, forbid), &[]);
    let partial = "forbid(principal, action == Action::\"files.write\", resource) \
                when { !context.approved && context.facts.under.contains(\"/home\") };";
    let expected = "files.write without asking:  (requires_approval to autonomous)";
    check_graphs(&load_test_graph(GRAPH, ""), &load_test_graph(&moved, partial), &[expected]);
}

#[test]
fn an_action_that_only_one_graph_lists_is_unclassified_in_the_other() {
    let more = GRAPH.replace("[read]", "[read, list]");
    let expected = "files.list without asking:  (requires_approval to autonomous)";
    check_graphs(&load_test_graph(GRAPH, ""), &load_test_graph(&more, ""), &[expected]);
    check_graphs(&load_test_graph(&more, ""), &load_test_graph(GRAPH, ""), &[]);
    let strict = format!("{GRAPH}unclassified: deny\n");
    let expected = [
        "files.list without asking:  (blocked to autonomous)",
        "files.list with approval:  (blocked to autonomous)",
        "any other of files with approval:  (blocked to requires_approval)",
        "any other of money with approval:  (blocked to requires_approval)",
        "any other action with approval:  (blocked to requires_approval)",
    ];
    check_graphs(&load_test_graph(&strict, ""), &load_test_graph(&more, ""), &expected);
    // A blocked action that is removed from its list asks.
    let fewer = GRAPH.replace("[wipe]", "[]");
    let expected = "files.wipe with approval:  (blocked to requires_approval)";
    check_graphs(&load_test_graph(GRAPH, ""), &load_test_graph(&fewer, ""), &[expected]);
}

#[test]
fn a_domain_that_only_one_graph_has_is_compared_too() {
    let more = format!(
        "{GRAPH}  mail:\n    autonomous: [list]\n    requires_approval: []\n    blocked: [send]\n"
    );
    let in_mail = "permit(principal, action in Action::\"mail\", resource);";
    let expected = "mail.list without asking:  (requires_approval to autonomous)";
    check_graphs(&load_test_graph(GRAPH, ""), &load_test_graph(&more, in_mail), &[expected]);
    let expected = "mail.send with approval:  (blocked to requires_approval)";
    check_graphs(&load_test_graph(&more, in_mail), &load_test_graph(GRAPH, ""), &[expected]);
}

#[test]
fn contradictory_conditions_permit_nothing() {
    // A path cannot be in two unrelated folders, nor a host in two unrelated domains.
    check_policies(
        "",
        "permit(principal, action == Action::\"files.write\", resource) when {
           context.facts.under.contains(\"/a\") && context.facts.under.contains(\"/b\") };
         permit(principal, action == Action::\"files.write\", resource) when {
           context.facts.under.contains(\"./a\") && context.facts.under.contains(\"./b/c\") };
         permit(principal, action == Action::\"files.write\", resource) when {
           context.facts.under.contains(\"/a/b\") && !context.facts.under.contains(\"/a\") };
         permit(principal, action == Action::\"files.write\", resource) when {
           context.facts.hosts.contains(\"a.example\") && context.facts.hosts.contains(\"b.example\") };
         permit(principal, action == Action::\"files.write\", resource) when {
           context.facts has name && context.facts.name == \"x\" &&
           context.facts has path && context.facts.path == \"/a/y\" };
         permit(principal, action == Action::\"files.write\", resource) when {
           context.facts has amount && context.facts.amount < 0 };",
        &[],
    );
}

#[test]
fn hosts_recipients_and_branches_are_described() {
    check_policies(
        "",
        "permit(principal, action == Action::\"files.write\", resource) when {
           context.facts.hosts.contains(\"example.com\") && context.facts has scheme &&
           context.facts.scheme == \"https\" };
         permit(principal, action == Action::\"files.delete\", resource) when {
           context.facts.known_recipient && context.facts.recipient_hosts.contains(\"example.org\") };
         permit(principal, action == Action::\"money.pay\", resource) when {
           context.facts has branch && context.facts.branch != \"main\" };",
        &[
            "files.delete without asking: a recipient who is a contact at example.org \
             (requires_approval to autonomous)",
            "files.write without asking: host www.example.com, scheme https \
             (requires_approval to autonomous)",
            "money.pay without asking: branch topic (requires_approval to autonomous)",
        ],
    );
}

#[test]
fn an_example_path_lies_in_the_workspace_or_home_folder() {
    check_policies(
        "",
        "permit(principal, action == Action::\"files.write\", resource) when {
           context.facts.under.contains(\"./src\") };
         permit(principal, action == Action::\"files.delete\", resource) when {
           context.facts.under.contains(\"~/.cache\") && !context.facts.in_workspace };",
        &[
            "files.delete without asking: path /home/me/project/.cache/file.txt, \
             outside of the workspace, in the home folder as ~/.cache/file.txt \
             (requires_approval to autonomous)",
            "files.write without asking: path /home/me/project/src/file.txt, \
             in the workspace as ./src/file.txt (requires_approval to autonomous)",
        ],
    );
}

#[test]
fn removing_a_policy_can_allow_calls_with_unreadable_facts() {
    // The permit is redundant, but because of it a call with an unreadable path was denied.
    let asks = "permit(principal, action == Action::\"files.read\", resource) \
                when { context.facts.in_workspace };";
    let expected = [
        "files.read without asking: a path that cannot be read (blocked to autonomous)",
        "files.read with approval: a path that cannot be read (blocked to autonomous)",
    ];
    check_policies(asks, "", &expected);
    check_policies("", asks, &[]);
}

#[test]
fn nothing_is_proved_if_a_policy_can_fail() {
    let policy = |limit: &str| {
        format!(
            "permit(principal, action == Action::\"money.pay\", resource) when {{ \
             context.facts has amount && context.facts.amount * 2 < {limit} }};"
        )
    };
    let why = "not proved, `p.cedar:1` fails on some calls";
    let expected =
        [format!("money.pay without asking: {why}"), format!("money.pay with approval: {why}")];
    check_policies(&policy("100"), &policy("50"), &[&expected[0], &expected[1]]);
}

#[test]
fn policies_that_permit_less_with_approval_are_evaluated_like_calls() {
    let odd = "permit(principal, action == Action::\"files.write\", resource) \
               when { !context.approved && context.facts.secret };
               forbid(principal, action == Action::\"files.write\", resource) \
               when { context.approved && context.facts.secret };";
    let also = "permit(principal, action == Action::\"files.write\", resource) \
                when { !context.approved && context.facts.secret };
                forbid(principal, action == Action::\"files.write\", resource) \
                when { context.facts.secret && context.approved };";
    check_policies(odd, also, &[]);
    let expected = "files.write without asking: path /.env, outside of the workspace, \
                 which counts as secret (requires_approval to autonomous)";
    check_policies("", odd, &[expected]);
}
