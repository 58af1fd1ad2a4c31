//! Rules that `mcp add` offers for the tools of a new server.

use crate::daemon::Daemon;
use crate::desk::Desk;

const GRAPH: &str = "\
# mine
domains:
  # about mail
  email: {autonomous: [read], requires_approval: [], blocked: []}
  mcp: {autonomous: [], requires_approval: [add_server, call], blocked: []}
tools:
  \"mcp__*\": {actions: [mcp.call]} # everything else
  mcp__notes__peek: {actions: [email.read]}
";

/// Lists four tools. Two say that they only read.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"list","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"peek","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"add","inputSchema":{}},{"name":"drop","inputSchema":{},"annotations":{"readOnlyHint":false}}]}';;
    *) continue;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

fn start(graph: &str) -> Daemon {
    let desk = Desk::empty().with("countersign.yaml", graph).with("server.sh", SERVER);
    let desk = desk.under("COUNTERSIGN_SETTINGS", "settings.toml").with("settings.toml", "");
    std::fs::create_dir_all(desk.path("home")).unwrap();
    Daemon::on(desk, &[])
}

fn add(daemon: &Daemon, rules: &[&str]) -> String {
    let script = daemon.desk.path("server.sh");
    let server = ["--", "/bin/sh", script.to_str().unwrap()];
    daemon.desk.run(&[&["mcp", "add", "notes"], rules, &server].concat())
}

#[test]
fn without_a_terminal_and_without_a_choice_no_rule_is_written() {
    for rules in [&[][..], &["--rules", "none"]] {
        let daemon = start(GRAPH);
        let added = add(&daemon, rules);
        assert!(added.contains("exit: 0") && added.contains("none of its tools"), "{added}");
        assert_eq!(daemon.desk.text("countersign.yaml"), GRAPH);
    }
}

#[test]
fn tools_that_say_they_only_read_are_allowed_if_the_operator_says_so() {
    let daemon = start(GRAPH);
    let added = add(&daemon, &["--rules", "read-only"]);
    assert!(added.contains("exit: 0") && added.contains("wrote 1 rule"), "{added}");
    let expected = GRAPH
        .replace(
            "domains:\n",
            "domains:\n  notes: {autonomous: [list], requires_approval: [], blocked: []}\n",
        )
        .replace("tools:\n", "tools:\n  mcp__notes__list: {actions: [notes.list]}\n");
    assert_eq!(daemon.desk.text("countersign.yaml"), expected);
    assert_eq!(daemon.desk.text("countersign.yaml.before-mcp-notes"), GRAPH);
    assert!(added.contains("before-mcp-notes"), "how to take it back: {added}");
}

#[test]
fn every_other_tool_gets_an_action_that_asks() {
    let daemon = start(GRAPH);
    let added = add(&daemon, &["--rules", "all"]);
    assert!(added.contains("wrote 3 rules"), "{added}");
    let tested = daemon.desk.run(&["mcp", "test", "notes", "--json"]);
    let outcome = |tool: &str| {
        let (_, rest) = tested.split_once(&format!("\"notes.{tool}\"")).unwrap_or_else(|| {
            panic!("{tool}: {tested}");
        });
        let (_, rest) = rest.split_once("\"outcome\":").unwrap();
        rest.split('"').nth(1).unwrap().to_owned()
    };
    assert_eq!(
        ["list", "add", "drop"].map(outcome),
        ["allow".to_owned(), "ask".to_owned(), "ask".to_owned()]
    );
    assert!(tested.contains("email.read"), "what the operator wrote stays: {tested}");
}

#[test]
fn a_graph_that_knows_the_server_is_left_to_the_operator_with_the_lines_to_add() {
    let graph = GRAPH.replace("email:", "notes:").replace("email.read", "notes.read");
    let daemon = start(&graph);
    let added = add(&daemon, &["--rules", "read-only"]);
    assert!(added.contains("exit: 1") && added.contains("has a domain `notes` already"), "{added}");
    assert!(added.contains("mcp__notes__list: {actions: [notes.list]}"), "{added}");
    assert_eq!(daemon.desk.text("countersign.yaml"), graph);
    assert!(daemon.desk.run(&["mcp", "ls"]).contains("server.sh"), "the server is added");
}
