//! What is newly allowed from one graph to another, known beforehand.

use crate::written::{GRAPH, lines, proved, written};

fn check(old: &str, new: &str, expected: &[&str]) {
    check_graphs((GRAPH, old), (GRAPH, new), expected);
}

fn check_graphs(old: (&str, &str), new: (&str, &str), expected: &[&str]) {
    let proof = proved(&written(old.0, old.1), &written(new.0, new.1));
    assert_eq!(lines(&proof), expected);
}

#[test]
fn a_graph_allows_nothing_new_against_itself() {
    let policies = "permit(principal, action == Action::\"files.write\", resource)
        when { context.facts.under.contains(\"/tmp\") };";
    check("", "", &[]);
    check(policies, policies, &[]);
}

#[test]
fn every_listed_action_and_the_rest_are_asked_about_at_both_levels() {
    let graph = written(GRAPH, "");
    let proof = proved(&graph, &graph);
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
fn a_policy_that_says_the_same_in_other_words_allows_nothing_new() {
    check(
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
fn a_folder_that_becomes_the_one_above_it_is_shown_by_a_path_between_them() {
    let policy = |folder: &str| {
        format!(
            "permit(principal, action == Action::\"files.write\", resource)
             when {{ context.facts.under.contains(\"{folder}\") }};"
        )
    };
    let shown = "files.write without asking: path /file.txt, outside of the workspace \
                 (requires_approval to autonomous)";
    check(&policy("/tmp"), &policy("/"), &[shown]);
    check(&policy("/"), &policy("/tmp"), &[]);
}

#[test]
fn a_forbid_that_another_one_covers_can_go() {
    let wide = "@id(\"wide\") forbid(principal, action == Action::\"files.read\", resource)
        when { context.facts.under.contains(\"/etc\") };";
    let narrow = "@id(\"narrow\") forbid(principal, action == Action::\"files.read\", resource)
        when { context.facts has path && context.facts.path == \"/etc/ssl/key\" };";
    check(&format!("{wide}{narrow}"), wide, &[]);
    let shown = [
        "files.read without asking: path /etc/file.txt, outside of the workspace \
         (blocked to autonomous)",
        "files.read with approval: path /etc/file.txt, outside of the workspace \
         (blocked to autonomous)",
    ];
    check(&format!("{wide}{narrow}"), narrow, &shown);
}

#[test]
fn below_fifty_and_at_most_forty_nine_are_the_same_and_at_most_fifty_is_not() {
    let policy = |condition: &str| {
        format!(
            "permit(principal, action == Action::\"money.pay\", resource) when {{ \
             context.facts has amount && context.facts.amount {condition} && \
             context.facts has currency && context.facts.currency == \"EUR\" }};"
        )
    };
    check(&policy("< 5000"), &policy("<= 4999"), &[]);
    let shown = "money.pay without asking: amount 5000 in minor units, EUR \
                 (requires_approval to autonomous)";
    check(&policy("< 5000"), &policy("<= 5000"), &[shown]);
}

#[test]
fn a_policy_for_a_whole_domain_is_more_than_one_for_each_listed_action() {
    let each = "permit(principal, action in [Action::\"files.read\", Action::\"files.write\", \
                Action::\"files.delete\"], resource) when { context.facts.in_workspace };";
    let domain = "permit(principal, action in Action::\"files\", resource) \
                  when { context.facts.in_workspace };";
    // What no list names is never autonomous, and what is blocked stays so.
    check(each, domain, &[]);
    let forbid = |head: &str| format!("forbid(principal, {head}, resource);");
    let listed = "action in [Action::\"files.read\", Action::\"files.write\", \
                  Action::\"files.delete\", Action::\"files.wipe\"]";
    let shown = "any other of files with approval:  (blocked to requires_approval)";
    check(&forbid("action in Action::\"files\""), &forbid(listed), &[shown]);
}

#[test]
fn an_action_that_moves_between_lists_is_new_at_the_levels_it_gains() {
    let moved =
        GRAPH.replace("[read]", "[read, write]").replace("[write, delete]", "[delete, wipe]");
    let moved = moved.replace("blocked: [wipe]", "blocked: []");
    let shown = [
        "files.wipe with approval:  (blocked to requires_approval)",
        "files.write without asking:  (requires_approval to autonomous)",
    ];
    check_graphs((GRAPH, ""), (&moved, ""), &shown);
    check_graphs((&moved, ""), (GRAPH, ""), &[]);
}

#[test]
fn an_autonomous_action_that_a_forbid_holds_back_is_not_new() {
    let moved = GRAPH.replace("[read]", "[read, write]").replace("[write, delete]", "[delete]");
    let held = "forbid(principal, action == Action::\"files.write\", resource) \
                unless { context.approved };";
    check_graphs((GRAPH, ""), (&moved, held), &[]);
    let half = "forbid(principal, action == Action::\"files.write\", resource) \
                when { !context.approved && context.facts.under.contains(\"/home\") };";
    let shown = "files.write without asking:  (requires_approval to autonomous)";
    check_graphs((GRAPH, ""), (&moved, half), &[shown]);
}

#[test]
fn an_action_that_only_one_graph_lists_is_unclassified_in_the_other() {
    let more = GRAPH.replace("[read]", "[read, list]");
    let shown = "files.list without asking:  (requires_approval to autonomous)";
    check_graphs((GRAPH, ""), (&more, ""), &[shown]);
    check_graphs((&more, ""), (GRAPH, ""), &[]);
    let strict = format!("{GRAPH}unclassified: deny\n");
    let shown = [
        "files.list without asking:  (blocked to autonomous)",
        "files.list with approval:  (blocked to autonomous)",
        "any other of files with approval:  (blocked to requires_approval)",
        "any other of money with approval:  (blocked to requires_approval)",
        "any other action with approval:  (blocked to requires_approval)",
    ];
    check_graphs((&strict, ""), (&more, ""), &shown);
    // A blocked action that no list names any longer asks.
    let fewer = GRAPH.replace("[wipe]", "[]");
    let shown = "files.wipe with approval:  (blocked to requires_approval)";
    check_graphs((GRAPH, ""), (&fewer, ""), &[shown]);
}

#[test]
fn a_domain_that_only_one_graph_has_is_asked_about_too() {
    let more = format!(
        "{GRAPH}  mail:\n    autonomous: [list]\n    requires_approval: []\n    blocked: [send]\n"
    );
    let in_mail = "permit(principal, action in Action::\"mail\", resource);";
    let shown = "mail.list without asking:  (requires_approval to autonomous)";
    check_graphs((GRAPH, ""), (&more, in_mail), &[shown]);
    let shown = "mail.send with approval:  (blocked to requires_approval)";
    check_graphs((&more, in_mail), (GRAPH, ""), &[shown]);
}

#[test]
fn two_conditions_that_exclude_each_other_permit_nothing() {
    // No path is in two folders of which neither is in the other; a host is in both domains only
    // if one is the other's.
    check(
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
fn hosts_recipients_and_branches_are_shown_in_words() {
    check(
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
fn folders_of_the_workspace_and_of_the_home_are_found_in_a_path() {
    check(
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
fn a_policy_that_no_longer_asks_lets_through_what_cannot_be_read() {
    // Redundant as a permit; but a call whose path cannot be read was denied for it.
    let asks = "permit(principal, action == Action::\"files.read\", resource) \
                when { context.facts.in_workspace };";
    let shown = [
        "files.read without asking: a path that cannot be read (blocked to autonomous)",
        "files.read with approval: a path that cannot be read (blocked to autonomous)",
    ];
    check(asks, "", &shown);
    check("", asks, &[]);
}

#[test]
fn where_a_policy_can_fail_nothing_is_proved() {
    let policy = |limit: &str| {
        format!(
            "permit(principal, action == Action::\"money.pay\", resource) when {{ \
             context.facts has amount && context.facts.amount * 2 < {limit} }};"
        )
    };
    let why = "not proved, `p.cedar:1` fails on some calls";
    let shown =
        [format!("money.pay without asking: {why}"), format!("money.pay with approval: {why}")];
    check(&policy("100"), &policy("50"), &[&shown[0], &shown[1]]);
}

#[test]
fn policies_that_permit_less_with_a_yes_are_judged_as_calls_are() {
    let odd = "permit(principal, action == Action::\"files.write\", resource) \
               when { !context.approved && context.facts.secret };
               forbid(principal, action == Action::\"files.write\", resource) \
               when { context.approved && context.facts.secret };";
    let also = "permit(principal, action == Action::\"files.write\", resource) \
                when { !context.approved && context.facts.secret };
                forbid(principal, action == Action::\"files.write\", resource) \
                when { context.facts.secret && context.approved };";
    check(odd, also, &[]);
    let shown = "files.write without asking: path /.env, outside of the workspace, \
                 which counts as secret (requires_approval to autonomous)";
    check("", odd, &[shown]);
}
