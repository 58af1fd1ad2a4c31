//! Stamping a review changes the requested dates and no other byte.

use countersign_core::model::time::Date;
use countersign_graph::Format::{self, Json, Toml, Yaml};
use countersign_graph::review::{StampError, stamp_review};

fn stamp(text: &str, format: Format, domains: &[&str]) -> Result<String, StampError> {
    let domains: Vec<_> = domains.iter().map(|name| (*name).to_owned()).collect();
    stamp_review(text, format, &domains, Date::parse("2026-03-09").unwrap())
}

/// `«old|new»` marks what the stamp changes; all other text must stay the same.
fn check(marked: &str, format: Format, domains: &[&str]) {
    let (mut before, mut after) = (String::new(), String::new());
    let mut rest = marked;
    while let Some((same, marked)) = rest.split_once('«') {
        let (change, behind) = marked.split_once('»').unwrap();
        let (old, new) = change.split_once('|').unwrap();
        before.extend([same, old]);
        after.extend([same, new]);
        rest = behind;
    }
    before.push_str(rest);
    after.push_str(rest);
    assert_eq!(stamp(&before, format, domains).unwrap(), after);
    let windows = stamp(&before.replace('\n', "\r\n"), format, domains).unwrap();
    assert_eq!(windows, after.replace('\n', "\r\n"));
}

const LISTS: &str = "autonomous: [a], requires_approval: [], blocked: []";

#[test]
fn a_date_in_yaml_is_replaced_in_place() {
    check(
        &format!(
            "# my graph\nlast_reviewed: «2026-01-05|2026-03-09» # by me\n\ndomains:\n  d: {{{LISTS}}} # ü\n"
        ),
        Yaml,
        &[],
    );
    check(&format!("last_reviewed: '«2026-01-05|2026-03-09»'\nd: {{{LISTS}}}"), Yaml, &[]);
    check(&format!("last_reviewed: \"«soon|2026-03-09»\"\nd: {{{LISTS}}}"), Yaml, &[]);
    check(&format!("last_reviewed:«| 2026-03-09»\nd: {{{LISTS}}}"), Yaml, &[]);
    check(&format!("last_reviewed: &now «~|2026-03-09»\nd: {{{LISTS}}}"), Yaml, &[]);
}

#[test]
fn a_missing_date_in_yaml_is_inserted_as_a_line_or_in_braces() {
    check(&format!("# head\n\n«|last_reviewed: 2026-03-09\n»d: {{{LISTS}}}"), Yaml, &[]);
    check(&format!("{{«|last_reviewed: 2026-03-09, »d: {{{LISTS}}}}}\n"), Yaml, &[]);
    check(
        &format!("---\n«|last_reviewed: 2026-03-09\n»domains:\n  d: {{{LISTS}}}\n...\n"),
        Yaml,
        &[],
    );
    check(&format!("\u{feff}«|last_reviewed: 2026-03-09\n»d: {{{LISTS}}}\n"), Yaml, &[]);
    check("{«|last_reviewed: 2026-03-09»}\n", Yaml, &[]);
}

#[test]
fn a_domain_in_yaml_is_stamped_in_its_own_style() {
    check(
        "domains:\n  d: # mine\n    # the lists\n    «|last_reviewed: 2026-03-09\n    »autonomous: [a]\n    \
         requires_approval: []\n    blocked: []\n  e:\n    autonomous: []\n    requires_approval: []\n    blocked: []\n",
        Yaml,
        &["d"],
    );
    check(
        &format!("d: {{ «|last_reviewed: 2026-03-09, »{LISTS} }}\ne: {{{LISTS}}}\n"),
        Yaml,
        &["d"],
    );
    check(
        &format!(
            "last_reviewed: 2020-01-01\nd: {{{LISTS}, last_reviewed: «2026-01-05|2026-03-09»}}\n\
             e: {{«|last_reviewed: 2026-03-09, »{LISTS}}}\n"
        ),
        Yaml,
        &["e", "d", "d"],
    );
}

#[test]
fn a_review_of_the_graph_stamps_the_root_and_every_dated_domain() {
    check(
        &format!(
            "d: {{{LISTS}, last_reviewed: «2026-01-05|2026-03-09»}}\ne: {{{LISTS}}}\nlast_reviewed: «2026-01-01|2026-03-09»\n"
        ),
        Yaml,
        &[],
    );
}

const JSON_LISTS: &str = r#""autonomous": ["a"], "requires_approval": [], "blocked": []"#;

#[test]
fn json_keeps_its_layout() {
    check(
        &format!("{{\"last_reviewed\": \"«2026-01-05|2026-03-09»\", \"d\": {{{JSON_LISTS}}}}}"),
        Json,
        &[],
    );
    check(
        &format!("{{\"last_reviewed\": «null|\"2026-03-09\"», \"d\": {{{JSON_LISTS}}}}}"),
        Json,
        &[],
    );
    check(
        &format!("{{\n  «|\"last_reviewed\": \"2026-03-09\",\n  »\"d\": {{{JSON_LISTS}}}\n}}\n"),
        Json,
        &[],
    );
    let compact = JSON_LISTS.replace(' ', "");
    check(&format!("{{«|\"last_reviewed\":\"2026-03-09\",»\"d\":{{{compact}}}}}"), Json, &[]);
    check(
        &format!(
            "{{ \"domains\": {{ \"d\": {{ «|\"last_reviewed\": \"2026-03-09\", »{JSON_LISTS} }} }} }}"
        ),
        Json,
        &["d"],
    );
    check("{ «|\"last_reviewed\": \"2026-03-09\", »\"domains\": {} }", Json, &[]);
    check("{«|\"last_reviewed\": \"2026-03-09\"»}", Json, &[]);
}

const TOML_LISTS: &str = "autonomous = ['a']\nrequires_approval = []\nblocked = []\n";

#[test]
fn toml_keys_are_inserted_in_the_right_table() {
    check(
        &format!(
            "# head\nlast_reviewed = «2026-01-05|2026-03-09» # mine\n[domains.d]\n{TOML_LISTS}"
        ),
        Toml,
        &[],
    );
    check(
        &format!("last_reviewed = \"«2026-01-05|2026-03-09»\"\n[domains.d]\n{TOML_LISTS}"),
        Toml,
        &[],
    );
    check(&format!("last_reviewed = '''«x|2026-03-09»'''\n[domains.d]\n{TOML_LISTS}"), Toml, &[]);
    check(
        &format!("last_reviewed = «2026-01-05T00:00:00Z|2026-03-09»\n[domains.d]\n{TOML_LISTS}"),
        Toml,
        &[],
    );
    check(
        &format!("# head\n«|last_reviewed = 2026-03-09\n\n»[domains.d]\n{TOML_LISTS}"),
        Toml,
        &[],
    );
    check(
        &format!("«|last_reviewed = 2026-03-09\n»unclassified = 'ask'\n[d]\n{TOML_LISTS}"),
        Toml,
        &[],
    );
    check(
        &format!(
            "[domains.d.actions.a]\nrisk = 'low'\n[domains.d]\n  «|last_reviewed = 2026-03-09\n  »{TOML_LISTS}"
        ),
        Toml,
        &["d"],
    );
    check(
        "d = {«|last_reviewed = 2026-03-09, »autonomous = [], requires_approval = [], blocked = []}",
        Toml,
        &["d"],
    );
    check(
        "[domains]\n«|d.last_reviewed = 2026-03-09\n»d.autonomous = []\nd.requires_approval = []\nd.blocked = []\n",
        Toml,
        &["d"],
    );
    check("# nothing yet\n«|last_reviewed = 2026-03-09\n»", Toml, &[]);
    assert_eq!(stamp("#", Toml, &[]).unwrap(), "#\nlast_reviewed = 2026-03-09\n");
}

#[test]
fn a_stamp_that_would_change_more_is_refused() {
    let shared = format!("d: &d {{{LISTS}, last_reviewed: 2026-01-05}}\ne: *d\n");
    assert!(matches!(stamp(&shared, Yaml, &["d"]), Err(StampError::ChangesMoreThanDate)));
    assert!(stamp(&shared, Yaml, &["d", "e"]).is_ok());
    let dotted = "domains = { d.autonomous = [], d.requires_approval = [], d.blocked = [] }\n";
    assert!(matches!(stamp(dotted, Toml, &["d"]), Err(StampError::ChangesMoreThanDate)));
    let keyed = "d:\n  ? autonomous\n  : []\n  ? requires_approval\n  : []\n  ? blocked\n  : []\n";
    assert!(matches!(stamp(keyed, Yaml, &["d"]), Err(StampError::NoInsertionPoint(_))));
}

#[test]
fn an_invalid_graph_or_an_unknown_domain_is_refused() {
    assert!(
        matches!(stamp("d: {}\n", Yaml, &[]), Err(StampError::InvalidGraph(problems)) if problems.len() == 1)
    );
    let missing = stamp(&format!("d: {{{LISTS}}}\n"), Yaml, &["e"]);
    assert!(matches!(missing, Err(StampError::UnknownDomain(name)) if name == "e"));
}
