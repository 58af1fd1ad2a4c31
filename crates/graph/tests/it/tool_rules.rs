//! Adding rules for a server's tools changes nothing else in the operator's file.

use countersign_core::model::names::{Action, Tool};
use countersign_core::model::words::Tier;
use countersign_graph::Format::{self, Json, Toml, Yaml};
use countersign_graph::tool_rules::{
    InsertError, ToolRule, ToolRules, insert_tool_rules, write_tool_rules,
};

fn rules() -> ToolRules {
    let rule = |verb: &str, tier| ToolRule {
        tool: Tool::parse(&format!("mcp__files__{verb}")).unwrap(),
        action: Action::new("files", verb).unwrap(),
        tier,
    };
    let tools = vec![rule("read", Tier::Autonomous), rule("no", Tier::RequiresApproval)];
    ToolRules { domain: "files".to_owned(), tools }
}

/// `«new»` marks what is added; all other text must stay the same.
fn check(marked: &str, format: Format) {
    let before: String =
        marked.split('«').map(|part| part.split_once('»').map_or(part, |(_, rest)| rest)).collect();
    let after = marked.replace(['«', '»'], "");
    assert_eq!(insert_tool_rules(&before, format, &rules()).unwrap(), after);
    let windows = insert_tool_rules(&before.replace('\n', "\r\n"), format, &rules()).unwrap();
    assert_eq!(windows, after.replace('\n', "\r\n"));
}

const LISTS: &str = "autonomous: [a], requires_approval: [], blocked: []";
const FILES: &str = "files: {autonomous: [read], requires_approval: [\"no\"], blocked: []}";
const READ: &str = "mcp__files__read: {actions: [files.read]}";
const NO: &str = "mcp__files__no: {actions: [files.no]}";

#[test]
fn lines_are_added_below_the_keys_of_a_yaml_file() {
    check(
        &format!(
            "# mine\ndomains: # all of them\n«  {FILES}\n»  # about d\n  d: {{{LISTS}}} # ü\n\ntools:\n«  {READ}\n  {NO}\n»  # shells\n  \"Bash\": {{actions: [d.a]}}\n# end\n"
        ),
        Yaml,
    );
    check(
        &format!(
            "domains:\n«    {FILES}\n»    d:\n      autonomous: [a]\n      requires_approval: []\n      blocked: []\n«\ntools: {{{READ}, {NO}}}\n»"
        ),
        Yaml,
    );
    check(&format!("domains: {{«{FILES}, »d: {{{LISTS}}}}}\ntools: {{«{READ}, {NO}»}}\n"), Yaml);
}

#[test]
fn a_file_whose_domains_stand_at_the_root_keeps_that_form() {
    check(&format!("d: {{{LISTS}}}\n«\n{FILES}\ntools: {{{READ}, {NO}}}\n»"), Yaml);
    check(
        "[d]\nautonomous = []\nrequires_approval = []\nblocked = []\n«\n[files]\nautonomous = [\"read\"]\nrequires_approval = [\"no\"]\nblocked = []\n\n[tools.mcp__files__read]\nactions = [\"files.read\"]\n\n[tools.mcp__files__no]\nactions = [\"files.no\"]\n»",
        Toml,
    );
}

#[test]
fn json_and_toml_are_added_to_in_their_own_form() {
    let lists = r#"{"autonomous": ["read"], "requires_approval": ["no"], "blocked": []}"#;
    let (read, no) = (
        r#""mcp__files__read": {"actions": ["files.read"]}"#,
        r#""mcp__files__no": {"actions": ["files.no"]}"#,
    );
    let d = r#""d": {"autonomous": [], "requires_approval": ["a"], "blocked": []}"#;
    check(
        &format!(
            "{{\n  «\"tools\": {{{read}, {no}}},\n  »\"domains\": {{\n    «\"files\": {lists},\n    »{d}\n  }}\n}}\n"
        ),
        Json,
    );
    check(
        "# mine\n[domains.d]\nautonomous = []\nrequires_approval = []\nblocked = [] # none\n\n[tools]\nBash = { actions = [] }\n«\n[domains.files]\nautonomous = [\"read\"]\nrequires_approval = [\"no\"]\nblocked = []\n\n[tools.mcp__files__read]\nactions = [\"files.read\"]\n\n[tools.mcp__files__no]\nactions = [\"files.no\"]\n»",
        Toml,
    );
}

#[test]
fn what_is_there_already_or_has_no_safe_place_is_left_to_a_person() {
    let refuse = |text: &str, format| insert_tool_rules(text, format, &rules()).unwrap_err();
    let exists = refuse(&format!("domains:\n  Files: {{{LISTS}}}\n"), Yaml);
    assert!(matches!(exists, InsertError::DomainExists(name) if name == "Files"));
    let mapped = format!("d: {{{LISTS}}}\ntools: {{mcp__files__no: {{actions: [d.a]}}}}\n");
    assert!(matches!(refuse(&mapped, Yaml), InsertError::ToolExists(_)));
    let anchored = format!("domains: &all\n  d: {{{LISTS}}}\n");
    assert!(matches!(refuse(&anchored, Yaml), InsertError::ChangesMore));
    let ended = format!("d: {{{LISTS}}}\n...\n");
    assert!(matches!(refuse(&ended, Yaml), InsertError::ChangesMore));
    // A blank line at the end would belong to the text above it.
    let kept =
        format!("d: {{{LISTS}}}\ntools:\n  t:\n    actions: [d.a]\n    health: |+\n      ping\n");
    assert!(matches!(refuse(&kept, Yaml), InsertError::ChangesMore));
    let inline = "domains = {}\n";
    assert!(matches!(refuse(inline, Toml), InsertError::ChangesMore));
    assert!(matches!(refuse("domains: 3\n", Yaml), InsertError::InvalidGraph(_)));
}

#[test]
fn the_lines_for_a_person_are_a_graph_of_their_own() {
    for format in [Yaml, Toml] {
        let text = write_tool_rules(format, &rules());
        countersign_graph::load_graph("g", text.as_bytes(), format).unwrap();
    }
    let text = format!("{{{}}}", write_tool_rules(Json, &rules()));
    countersign_graph::load_graph("g", text.as_bytes(), Json).unwrap();
}
