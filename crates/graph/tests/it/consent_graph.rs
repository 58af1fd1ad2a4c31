//! A file of the earlier Consent Graph loads unchanged, in both forms of the root.

use countersign_core::model::graph::{
    AskingRule, ChannelRule, CommandRules, Conditions, Decay, Demand, Destinations, Domain,
    Domains, Graph, LastReview, Rule, Unclassified, VisibilityRule, WhenIdle,
};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Tier, TrustLevel};
use countersign_graph::{Format, Problem, load_graph};
use std::collections::{BTreeMap, HashMap};

/// Each domain as Consent Graph printed it.
const DOMAINS: [(&str, &str); 10] = [
    (
        "email",
        r#"{
  "trust_level": "high",
  "autonomous": ["read", "search", "label", "archive_promo", "archive_social", "archive_forum"],
  "requires_approval": ["send", "delete", "forward"],
  "blocked": ["send_to_unknown", "delete_vip"]
}"#,
    ),
    (
        "imessage",
        r#"{
  "trust_level": "low",
  "autonomous": ["read", "history"],
  "requires_approval": ["send_vip", "send_family"],
  "blocked": ["send_unknown", "send_group_without_context"]
}"#,
    ),
    (
        "home_automation",
        r#"{
  "trust_level": "medium",
  "autonomous": ["read_sensors", "check_status", "read_forecast"],
  "requires_approval": ["set_thermostat", "lock_doors", "toggle_lights"],
  "blocked": ["unlock_doors", "disable_alarms", "open_garage"]
}"#,
    ),
    (
        "files",
        r#"{
  "trust_level": "high",
  "autonomous": ["read", "write_workspace", "create", "edit"],
  "requires_approval": ["delete", "write_outside_workspace"],
  "blocked": ["delete_outside_workspace", "modify_secrets"]
}"#,
    ),
    (
        "external_api",
        r#"{
  "trust_level": "medium",
  "autonomous": ["search", "read", "fetch"],
  "requires_approval": ["post_social", "tweet", "submit_form"],
  "blocked": ["financial_transaction", "delete_remote"]
}"#,
    ),
    (
        "cron",
        r#"{
  "trust_level": "high",
  "autonomous": ["list", "run_existing", "update_schedule"],
  "requires_approval": ["create", "delete"],
  "blocked": []
}"#,
    ),
    (
        "notifications",
        r#"{
  "trust_level": "high",
  "autonomous": ["send_telegram_owner", "send_email_owner"],
  "requires_approval": ["send_telegram_other", "send_email_other"],
  "blocked": ["send_to_unknown_channel"]
}"#,
    ),
    (
        "calendar",
        r#"{
  "trust_level": "medium",
  "autonomous": ["read", "list_events"],
  "requires_approval": ["create_event", "modify_event", "delete_event"],
  "blocked": ["invite_external"]
}"#,
    ),
    (
        "nodes",
        r#"{
  "trust_level": "high",
  "autonomous": ["read_files", "list_files", "run_scripts", "check_status", "git_operations", "read_logs"],
  "requires_approval": ["install_software", "modify_system_config", "delete_files"],
  "blocked": ["expose_ports_externally", "modify_openclaw_config"]
}"#,
    ),
    (
        "self_modification",
        r#"{
  "autonomous": [
    "load_memory_file",
    "restore_context",
    "update_heartbeat_state",
    "prune_stale_memory"
  ],
  "requires_approval": [
    "propose_behavioral_change",
    "update_lessons_md",
    "consolidate_daily_to_memory"
  ],
  "blocked": [
    "modify_soul_md",
    "modify_agents_md",
    "modify_consent_graph",
    "change_safety_rules",
    "modify_system_prompt",
    "delete_audit_log",
    "modify_audit_log"
  ],
  "trusted_channel_required": [
    "propose_behavioral_change",
    "consolidate_daily_to_memory",
    "prune_stale_memory"
  ],
  "cooling_period_hours": 2,
  "undo_window_days": 7,
  "require_diff": true
}"#,
    ),
];

const REST: [&str; 2] = [
    r#"  "consent_decay": {
    "enabled": true,
    "review_interval_days": 30,
    "decay_action": "downgrade_to_requires_approval"
  }"#,
    r#"  "vip_contacts": {
    "darcy": "+1XXXXXXXXXX",
    "boss": "+1XXXXXXXXXX",
    "sister": "+1XXXXXXXXXX"
  }"#,
];

fn join_domains() -> String {
    DOMAINS.map(|(name, block)| format!("\"{name}\": {block}")).join(",\n")
}

/// The file with its domains under `domains`.
pub(crate) fn consent_graph_file() -> String {
    format!("{{\n\"domains\": {{\n{}\n}},\n{}\n}}\n", join_domains(), REST.join(",\n"))
}

/// The file with its domains at the root.
pub(crate) fn file_with_root_domains() -> String {
    format!("{{\n{},\n{}\n}}\n", join_domains(), REST.join(",\n"))
}

fn load_json(text: &str) -> (Graph, Vec<Problem>) {
    let loaded = load_graph("consent_graph.json", text.as_bytes(), Format::Json).unwrap();
    (loaded.graph, loaded.warnings)
}

/// The verbs of a tier list, parsed without our own code.
fn list_verbs(domain: &serde_json::Value, list: &str) -> Vec<String> {
    serde_json::from_value(domain[list].clone()).unwrap_or_default()
}

fn expected_rules() -> HashMap<Action, Rule> {
    let mut rules = HashMap::new();
    for (name, block) in DOMAINS {
        let domain: serde_json::Value = serde_json::from_str(block).unwrap();
        let bound = list_verbs(&domain, "trusted_channel_required");
        for tier in Tier::ALL.iter().copied() {
            for verb in list_verbs(&domain, tier.word()) {
                let trusted = bound.contains(&verb);
                let rule = Rule {
                    tier,
                    risk: Rule::default_risk(tier),
                    categories: Vec::new(),
                    undo: None,
                    asking: AskingRule::ByTier,
                    when_idle: WhenIdle::Ask,
                    channel: if trusted { ChannelRule::TrustedOnly } else { ChannelRule::Any },
                };
                rules.insert(Action::new(name, &verb).unwrap(), rule);
            }
        }
    }
    rules
}

fn domain_with_trust(trust: TrustLevel) -> Domain {
    Domain {
        trust: Some(trust),
        last_reviewed: None,
        visible: VisibilityRule::DEFAULT,
        destinations: Destinations::Any,
        conditions: Conditions::NONE,
    }
}

fn expected_domains() -> Domains {
    use TrustLevel::{High, Low, Medium};
    let diff = Demand::Needed;
    let conditions = Conditions { diff, cooling_hours: Some(2), undo_days: Some(7) };
    [
        ("calendar", domain_with_trust(Medium)),
        ("cron", domain_with_trust(High)),
        ("email", domain_with_trust(High)),
        ("external_api", domain_with_trust(Medium)),
        ("files", domain_with_trust(High)),
        ("home_automation", domain_with_trust(Medium)),
        ("imessage", domain_with_trust(Low)),
        ("nodes", domain_with_trust(High)),
        ("notifications", Domain { destinations: Destinations::One, ..domain_with_trust(High) }),
        ("self_modification", Domain { trust: None, conditions, ..domain_with_trust(High) }),
    ]
    .map(|(name, domain)| (name.to_owned(), domain))
    .into_iter()
    .collect()
}

#[test]
fn a_consent_graph_loads_unchanged() {
    let (graph, warnings) = load_json(&consent_graph_file());
    let contact = |name: &str| (name.to_owned(), vec!["+1XXXXXXXXXX".to_owned()]);
    let expected = Graph {
        hash: graph.hash,
        decay: Decay::AfterDays(30),
        review_days: 30,
        last_reviewed: LastReview::Never,
        visible: VisibilityRule::DEFAULT,
        unclassified: Unclassified::Ask,
        domains: expected_domains(),
        rules: expected_rules(),
        contacts: ["darcy", "boss", "sister"].map(contact).into(),
        reducers: Vec::new(),
        tools: Vec::new(),
        workflows: BTreeMap::new(),
        slash: BTreeMap::new(),
        commands: CommandRules::NONE,
        secrets: Vec::new(),
        guarded: Vec::new(),
        presets: BTreeMap::new(),
        preset: None,
        layer: None,
    };
    assert_eq!(graph, expected);
    assert_eq!(graph.rules.len(), 83);
    let warnings: Vec<_> = warnings.into_iter().map(|warning| warning.message).collect();
    let never = "consent decays but nothing was ever reviewed, so every autonomous action asks";
    assert_eq!(warnings, [never]);
}

#[test]
fn a_consent_graph_with_domains_at_the_root_means_the_same() {
    let (bare, _) = load_json(&file_with_root_domains());
    let (graph, _) = load_json(&consent_graph_file());
    assert_ne!(bare.hash, graph.hash);
    assert_eq!(Graph { hash: graph.hash, ..bare }, graph);
}

#[test]
fn a_consent_graph_means_the_same_in_yaml() {
    // JSON is valid YAML, so the file's text is a YAML file too.
    let (graph, _) = load_json(&consent_graph_file());
    let yaml = load_graph("consent_graph.yaml", consent_graph_file().as_bytes(), Format::Yaml)
        .unwrap()
        .graph;
    assert_eq!(yaml, graph);
}
