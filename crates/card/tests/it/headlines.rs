//! The headline of every action of the graphs that ship with Countersign, as a table.

use crate::fixture::show_call;
use countersign_card::build_card;
use countersign_core::model::call::CallDraft;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::{Action, Agent, SessionKey, Tool};
use countersign_graph::Format;
use serde_json::{Value, json};
use std::fmt::Write as _;

const GRAPHS: [(&str, &str); 3] = [
    ("assistive", include_str!("../../../../graphs/assistive/countersign.yaml")),
    ("coding", include_str!("../../../../graphs/coding/countersign.yaml")),
    ("personal", include_str!("../../../../graphs/personal/countersign.yaml")),
];

/// A realistic call of an action: its tool, its targets and its arguments.
#[allow(clippy::too_many_lines, reason = "a table")]
fn sample_call(action: &Action) -> (&'static str, &'static [&'static str], Value) {
    let nothing = || json!({});
    match (action.domain(), action.verb()) {
        ("identity", "purchase") | ("external_api", "financial_transaction") => {
            ("pay", &["Acme Hosting"], json!({"amount": 42, "currency": "EUR"}))
        }
        ("mcp", "call") => ("mcp__github__create_issue", &[], json!({"title": "Broken link"})),
        ("mcp", _) => ("add", &[], json!({"name": "github"})),
        ("network" | "external_api" | "email", "search") => {
            ("search", &[], json!({"query": "rust lints"}))
        }
        ("external_api", "post_social" | "tweet") => ("tool", &["@shop"], nothing()),
        ("external_api", "delete_remote") => ("tool", &["invoices/2025"], nothing()),
        ("network", "expose_port") => ("tool", &["8080"], nothing()),
        ("network" | "external_api", _) => ("tool", &["https://api.example.com/v1"], nothing()),
        ("agents", "load_skill") => ("Skill", &[], json!({"skill": "pdf"})),
        ("agents", "spawn_unattended") => ("CronCreate", &[], json!({"cron": "0 9 * * *"})),
        ("agents", _) => ("Task", &[], json!({"description": "Review the parser"})),
        ("shell", "stop") => ("KillShell", &[], json!({"shell_id": "bash_3"})),
        ("shell", "run") => ("Bash", &[], json!({"command": "npm install left-pad@1.3.0 --save"})),
        ("shell", _) => ("tool", &["scripts/release.sh"], nothing()),
        ("test" | "build", _) => ("tool", &["crates/card"], nothing()),
        ("git", "push" | "force_push") => ("tool", &["origin/main"], nothing()),
        ("git", "fetch") => ("tool", &["origin"], nothing()),
        ("git", "delete_remote_branch") => ("tool", &["origin/feature/cart"], nothing()),
        ("git", "open_pull_request") => ("tool", &["shop#17"], nothing()),
        ("git", "branch" | "merge" | "rebase") => ("tool", &["feature/cart"], nothing()),
        ("git", "tag") => ("tool", &["v1.2.0"], nothing()),
        ("git", "config") => ("tool", &["user.email"], nothing()),
        ("git", _) => ("tool", &["src/cart.rs"], nothing()),
        ("files", "patch") => ("apply_patch", &["src/cart.rs", "src/lib.rs"], nothing()),
        ("files", "search") => ("tool", &["/srv/shop/src"], nothing()),
        ("files", verb) if verb.ends_with("outside_workspace") => {
            ("tool", &["/home/ann/.profile"], nothing())
        }
        ("files", _) => ("tool", &["/srv/shop/src/cart.rs"], nothing()),
        ("secrets", _) => ("tool", &["DEPLOY_KEY"], nothing()),
        ("guard", "edit_graph") => ("tool", &["countersign.yaml"], nothing()),
        ("guard", "edit_ledger") => ("tool", &["countersign.db"], nothing()),
        ("guard", _) => ("tool", &["~/.config/agent/settings.json"], nothing()),
        ("control", "click" | "change_focus" | "move_pointer") => {
            ("tool", &["\"Pay now\""], nothing())
        }
        ("control", "select_menu_item") => ("tool", &["File > Print"], nothing()),
        ("control", _) => ("tool", &["Mail"], nothing()),
        ("observe" | "entry" | "in_view", _) => ("tool", &["Checkout form"], nothing()),
        ("speech" | "capture", _) => ("tool", &["Notes"], nothing()),
        ("identity", _) => ("tool", &["bank.example"], nothing()),
        ("settings", "change_account") => ("tool", &["ann@example.com"], nothing()),
        ("settings", "change_privacy" | "open_permissions") => ("tool", &["Camera"], nothing()),
        ("settings", _) => ("tool", &["Bluetooth"], nothing()),
        ("email", "delete" | "delete_vip" | "label" | "read") => {
            ("tool", &["\"Invoice 17\""], nothing())
        }
        ("email", verb) if verb.starts_with("archive") => ("tool", &["12 messages"], nothing()),
        ("imessage", _) => ("tool", &["+15550100001"], nothing()),
        ("share" | "support" | "outbound" | "email" | "notifications", _) => {
            ("tool", &["ann@example.com"], nothing())
        }
        ("home_automation", "set_thermostat") => ("tool", &["living room to 21 °C"], nothing()),
        ("home_automation", "toggle_lights") => ("tool", &["in the kitchen"], nothing()),
        ("home_automation", "open_garage") => ("tool", &["on the left"], nothing()),
        ("home_automation", "read_forecast") => ("tool", &["Graz"], nothing()),
        ("home_automation", "read_sensors") => ("tool", &["in the cellar"], nothing()),
        ("home_automation", _) => ("tool", &["the front door"], nothing()),
        ("cron", _) => ("tool", &["nightly-backup"], nothing()),
        ("calendar", "invite_external") => ("tool", &["ann@example.com"], nothing()),
        ("calendar", "read" | "list_events") => ("tool", &["Work"], nothing()),
        ("calendar", _) => ("tool", &["\"Dentist\""], nothing()),
        ("nodes", _) => ("tool", &["build-server"], nothing()),
        ("self_modification", "modify_soul_md") => ("tool", &["SOUL.md"], nothing()),
        ("self_modification", "modify_agents_md") => ("tool", &["AGENTS.md"], nothing()),
        ("self_modification", "update_lessons_md") => ("tool", &["LESSONS.md"], nothing()),
        ("self_modification", "modify_consent_graph") => ("tool", &["graph.yaml"], nothing()),
        ("self_modification", "delete_audit_log" | "modify_audit_log") => {
            ("tool", &["audit.log"], nothing())
        }
        ("self_modification", "modify_system_prompt" | "change_safety_rules") => {
            ("tool", &["system.md"], nothing())
        }
        ("self_modification", "restore_context" | "update_heartbeat_state") => {
            ("tool", &["state.json"], nothing())
        }
        ("self_modification", _) => ("tool", &["MEMORY.md"], nothing()),
        _ => ("tool", &[], nothing()),
    }
}

/// A graph that asks about this action and nothing else.
fn asking_graph(action: &Action) -> Graph {
    let text = format!(
        "domains: {{{}: {{autonomous: [], requires_approval: [{}], blocked: []}}}}\n\
         tools:\n\
         \x20 pay: {{actions: [{action}], amount: /amount}}\n\
         \x20 Bash: {{actions: [{action}], command: /command}}\n",
        action.domain(),
        action.verb(),
    );
    countersign_graph::load_graph("graph.yaml", text.as_bytes(), Format::Yaml).unwrap().graph
}

fn draft_plain(action: &Action) -> CallDraft {
    let agent = Agent::parse("coder").unwrap();
    CallDraft::plain(agent, SessionKey::parse("coder s1").unwrap(), action.clone())
}

fn draft_sample(action: &Action) -> CallDraft {
    let (tool, targets, args) = sample_call(action);
    let mut draft = draft_plain(action);
    draft.tool = Some(Tool::parse(tool).unwrap());
    draft.target = targets.iter().map(|target| (*target).to_owned()).collect();
    let line = args["command"].as_str();
    draft.command = line.map(|line| countersign_commands::analyse(line, None));
    draft.args = args;
    draft
}

fn headline(draft: CallDraft) -> String {
    let action = &draft.actions[0];
    show_call(&asking_graph(action), &draft, build_card).headline.to_string()
}

#[test]
fn every_action_of_the_shipped_graphs_has_a_headline() {
    let mut table = String::new();
    for (name, text) in GRAPHS {
        // Policies decide; they name no action of their own.
        let text = text.replace("rules: policies", "");
        let loaded = countersign_graph::load_graph("graph.yaml", text.as_bytes(), Format::Yaml);
        let mut actions: Vec<Action> = loaded.unwrap().graph.rules.into_keys().collect();
        actions.sort();
        writeln!(table, "{name}").unwrap();
        for action in actions {
            let with_object = headline(draft_sample(&action));
            let alone = headline(draft_plain(&action));
            writeln!(table, "  {action}: {with_object} | {alone}").unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn an_action_without_a_phrase_goes_by_its_own_words() {
    let action = Action::parse("shop.delete_nothing_at_all").unwrap();
    assert_eq!(headline(draft_plain(&action)), "Delete nothing at all (shop)");
    let action = Action::parse("tasks.create_task").unwrap();
    assert_eq!(headline(draft_plain(&action)), "Create task");
}
