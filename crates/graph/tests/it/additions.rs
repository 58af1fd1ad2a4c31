//! The graph keys that the earlier Consent Graph did not have; whole values are compared.

use countersign_core::encoding::digest::Digest;
use countersign_core::model::category::Category;
use countersign_core::model::graph::{
    AskingRule, ChannelRule, CommandRules, Decay, Destinations, Graph, LastReview, Reducer, Repeat,
    Rule, StepConsent, StepRule, ToolMapping, ToolPattern, Unclassified, VisibilityRule, WhenIdle,
    WorkflowRule,
};
use countersign_core::model::names::{Action, StepName, Workflow};
use countersign_core::model::time::Date;
use countersign_core::model::words::{Risk, Tier, Undo, VisiblePolicy};
use countersign_graph::{Format, LoadedGraph, Problems, load_graph, load_inline_graph, node};

const MAIL: &str =
    "domains:\n  email: {autonomous: [read], requires_approval: [send], blocked: [wipe]}\n";

fn load(text: &str) -> LoadedGraph {
    load_graph("g.yaml", text.as_bytes(), Format::Yaml)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// The mail domain with additional keys at the root.
fn graph_with_root_keys(rest: &str) -> Graph {
    load(&format!("{MAIL}{rest}")).graph
}

/// A domain `d` of three actions with additional keys.
fn load_with_domain_keys(rest: &str) -> LoadedGraph {
    let lists = "  d:\n    autonomous: [look]\n    requires_approval: [act]\n    blocked: [harm]\n";
    load(&format!("domains:\n{lists}{rest}"))
}

fn action(name: &str) -> Action {
    Action::parse(name).unwrap()
}

fn reviewed_on(text: &str) -> LastReview {
    LastReview::On(Date::parse(text).unwrap())
}

fn default_rule(tier: Tier) -> Rule {
    Rule {
        tier,
        risk: Rule::default_risk(tier),
        categories: Vec::new(),
        undo: None,
        asking: AskingRule::ByTier,
        when_idle: WhenIdle::Ask,
        channel: ChannelRule::Any,
    }
}

#[test]
fn the_details_of_an_action_make_its_rule() {
    let rest = "    trusted_channel_required: [act]\n    actions:\n      act: {risk: standard, \
                categories: [git_write, send_email], reversible: true, always_ask: true, when_idle: true}\n";
    let graph = load_with_domain_keys(rest).graph;
    let expected = Rule {
        tier: Tier::RequiresApproval,
        // The stated one, in place of the floors.
        risk: Risk::Low,
        categories: vec![
            Category::parse("git_write").unwrap(),
            Category::parse("send_email").unwrap(),
        ],
        undo: Some(Undo::Reversible),
        asking: AskingRule::Always,
        when_idle: WhenIdle::Pass,
        channel: ChannelRule::TrustedOnly,
    };
    assert_eq!(graph.rule(&action("d.act")), Some(&expected));
    assert_eq!(graph.rule(&action("d.look")), Some(&default_rule(Tier::Autonomous)));
    assert_eq!(graph.rule(&action("d.harm")), Some(&default_rule(Tier::Blocked)));
}

#[test]
fn a_stated_risk_replaces_the_category_floors_below_critical() {
    for (detail, expected) in [
        ("{risk: safe}", Risk::ReadOnly),
        ("{risk: elevated}", Risk::Moderate),
        ("{risk: risky}", Risk::High),
        ("{risk: critical, categories: [filesystem_read]}", Risk::Critical),
        ("{risk: read_only, categories: [purchase]}", Risk::Critical),
        ("{risk: low, categories: [network, test]}", Risk::Low),
        ("{categories: [filesystem_read]}", Risk::Low),
        ("{categories: [\"mcp_tool:x\"]}", Risk::High),
    ] {
        let graph = load_with_domain_keys(&format!("    actions: {{look: {detail}}}\n")).graph;
        assert_eq!(graph.rule(&action("d.look")).unwrap().risk, expected, "{detail}");
    }
}

#[test]
fn a_domain_inherits_each_key_of_visible_from_the_root() {
    let text = "visible: {threshold: 0.5}\ndomains:\n  a: {autonomous: [], requires_approval: [], \
                blocked: [], visible: {policy: never}}\n  b: {autonomous: [], requires_approval: [], \
                blocked: [], visible: {threshold: 1}}\n";
    let graph = load(text).graph;
    let visible = |threshold, policy| VisibilityRule { threshold, policy };
    let domains = graph.domains.values().map(|domain| domain.visible);
    let found: Vec<_> = [graph.visible].into_iter().chain(domains).collect();
    let expected = [
        visible(0.5, VisiblePolicy::Reversible),
        visible(0.5, VisiblePolicy::Never),
        visible(1.0, VisiblePolicy::Reversible),
    ];
    assert_eq!(found, expected);
}

#[test]
fn notifications_have_one_destination_by_default_and_other_domains_on_request() {
    let lists = "autonomous: [], requires_approval: [], blocked: []";
    let text = format!(
        "notifications: {{{lists}}}\na: {{{lists}}}\nb: {{{lists}, single_destination: true}}\n"
    );
    let found: Vec<_> = load(&text).graph.domains.values().map(|d| d.destinations).collect();
    assert_eq!(found, [Destinations::Any, Destinations::One, Destinations::One]);
    let off = format!("notifications: {{{lists}, single_destination: false}}\n");
    assert_eq!(
        load(&off).graph.domains.get("notifications").unwrap().destinations,
        Destinations::Any
    );
}

#[test]
fn dates_need_no_quotes_and_a_domain_can_have_its_own() {
    let yaml =
        load_with_domain_keys("    last_reviewed: 2026-01-05\nlast_reviewed: '2026-01-04'\n").graph;
    let toml = "last_reviewed = 2026-01-04\n[domains.d]\nautonomous = ['look']\n\
                requires_approval = ['act']\nblocked = ['harm']\nlast_reviewed = 2026-01-05\n";
    let toml = load_graph("g.toml", toml.as_bytes(), Format::Toml).unwrap().graph;
    for graph in [&yaml, &toml] {
        assert_eq!(graph.last_reviewed, reviewed_on("2026-01-04"));
        assert_eq!(graph.domains.get("d").unwrap().last_reviewed, Some(reviewed_on("2026-01-05")));
    }
    assert_eq!(Graph { hash: yaml.hash, ..toml }, yaml);
}

#[test]
fn an_invalid_date_is_kept_as_unreadable_with_a_warning() {
    for (written, kept) in
        [("soon", "soon"), ("2026-02-30", "2026-02-30"), ("2026", "2026"), ("", "null")]
    {
        let loaded = load_with_domain_keys(&format!("last_reviewed: {written}\n"));
        assert_eq!(loaded.graph.last_reviewed, LastReview::Unreadable(kept.to_owned()));
        let message = format!("`{kept}` is not a date and counts as never reviewed");
        assert_eq!(loaded.warnings.into_iter().map(|w| w.message).collect::<Vec<_>>(), [message]);
    }
}

#[test]
fn future_dates_are_reported_for_a_given_today() {
    let loaded =
        load_with_domain_keys("    last_reviewed: 2026-01-06\nlast_reviewed: 2026-01-05\n");
    let on = |today: &str| -> Vec<_> {
        let found = loaded.future_date_warnings(Date::parse(today).unwrap());
        found.into_iter().map(|warning| warning.message).collect()
    };
    assert_eq!(on("2026-01-06"), [""; 0]);
    assert_eq!(on("2026-01-05"), ["`2026-01-06` is in the future and counts as never reviewed"]);
}

#[test]
fn the_review_interval_is_set_with_and_without_decay() {
    for (written, decay, days) in [
        ("", Decay::Off, 30),
        ("consent_decay: {enabled: false, review_interval_days: 7}", Decay::Off, 7),
        ("consent_decay: {enabled: true}", Decay::AfterDays(30), 30),
        (
            "consent_decay: {enabled: true, review_interval_days: 90, \
              decay_action: downgrade_to_requires_approval}",
            Decay::AfterDays(90),
            90,
        ),
    ] {
        let graph = graph_with_root_keys(&format!("{written}\n"));
        assert_eq!((graph.decay, graph.review_days), (decay, days), "{written}");
    }
}

#[test]
fn unclassified_actions_ask_or_are_denied() {
    assert_eq!(graph_with_root_keys("").unclassified, Unclassified::Ask);
    assert_eq!(graph_with_root_keys("unclassified: deny\n").unclassified, Unclassified::Deny);
}

#[test]
fn a_contact_has_one_id_or_several() {
    let graph = graph_with_root_keys(
        "vip_contacts: {_note: x, ann: '+15550100', bo: [b@example.org, '+15550101']}\n",
    );
    let expected = [
        ("ann".to_owned(), vec!["+15550100".to_owned()]),
        ("bo".to_owned(), vec!["b@example.org".to_owned(), "+15550101".to_owned()]),
    ];
    assert_eq!(graph.contacts, expected.into());
}

#[test]
fn tools_map_names_and_prefixes_to_actions() {
    let text = "tools:\n  _why: remarks may stand here\n  Mail: {actions: [email.send], categories: \
                [send_email], target: /to, recipient: /to/0, command: '', folder: /in, amount: /a~1b~0c, \
                reversible: false, idempotent: true, health: ping}\n  'mail_*': {actions: [email.read, email.send], target: [/to, /a/b]}\n";
    let expected = [
        ToolMapping {
            pattern: ToolPattern::Exact("Mail".into()),
            actions: vec![action("email.send")],
            categories: vec![Category::parse("send_email").unwrap()],
            target: vec!["/to".into()],
            command: Some(String::new()),
            folder: vec!["/in".into()],
            recipient: Some("/to/0".into()),
            amount: Some("/a~1b~0c".into()),
            undo: Some(Undo::Irreversible),
            repeat: Repeat::Idempotent,
            health: Some("ping".into()),
            if_empty: None,
            declares: Vec::new(),
        },
        ToolMapping {
            pattern: ToolPattern::Prefix("mail_".into()),
            actions: vec![action("email.read"), action("email.send")],
            categories: Vec::new(),
            target: vec!["/to".into(), "/a/b".into()],
            command: None,
            recipient: None,
            folder: Vec::new(),
            amount: None,
            undo: None,
            repeat: Repeat::NeedsAPerson,
            health: None,
            if_empty: None,
            declares: Vec::new(),
        },
    ];
    assert_eq!(graph_with_root_keys(text).tools, expected);
}

#[test]
fn workflows_slash_commands_and_reducers_are_loaded() {
    let graph = graph_with_root_keys(
        "workflows:\n  digest:\n    actions: [email.read, email.send]\n    steps:\n      \
         - {name: gather, actions: [email.read]}\n      - {name: post, actions: [email.send], individual: true}\n  \
         idle: {}\nslash: {/mail: [email.send], tidy: []}\n\
         reducers: [{caller: email.read, action: email.send, to: standard}]\n",
    );
    let step = |name: &str, named: &str, consent| StepRule {
        name: StepName::parse(name).unwrap(),
        actions: vec![action(named)],
        consent,
    };
    let digest = WorkflowRule {
        actions: vec![action("email.read"), action("email.send")],
        steps: vec![
            step("gather", "email.read", StepConsent::OfTheRun),
            step("post", "email.send", StepConsent::Individual),
        ],
    };
    let idle = WorkflowRule { actions: Vec::new(), steps: Vec::new() };
    let name = |text: &str| Workflow::parse(text).unwrap();
    assert_eq!(graph.workflows, [(name("digest"), digest), (name("idle"), idle)].into());
    let slash = [("mail".to_owned(), vec![action("email.send")]), ("tidy".to_owned(), Vec::new())];
    assert_eq!(graph.slash, slash.into());
    let reducer =
        Reducer { caller: "email.read".into(), action: action("email.send"), to: Risk::Low };
    assert_eq!(graph.reducers, [reducer]);
}

#[test]
fn comments_are_ignored_in_every_map() {
    let remarks = "_note: 1\ndomains:\n  _why: because\n  email:\n    _x: {y: z}\n    autonomous: [read]\n    \
                   requires_approval: [send]\n    blocked: [wipe]\n    actions: {_remark: x}\n";
    let plain = load(MAIL).graph;
    assert_eq!(Graph { hash: plain.hash, ..load(remarks).graph }, plain);
}

#[test]
fn suspicious_settings_load_with_a_warning() {
    for (text, expected) in [
        ("{}", "this graph has no domains, so every action is unclassified"),
        ("domains: {}", "this graph has no domains, so every action is unclassified"),
        (
            "a: {autonomous: [], requires_approval: [], blocked: []}\n_b: {blocked: [x]}\n",
            "`_b` starts with `_`, so this domain is ignored",
        ),
        (
            "a: {autonomous: [], requires_approval: [buy], blocked: [], actions: {buy: {categories: [purchse]}}}",
            "the category `purchse` is unknown and counts as high",
        ),
        (
            "a: {autonomous: [], requires_approval: [b], blocked: []}\n\
             reducers: [{caller: nobody, action: a.b, to: low}]\n",
            "the caller `nobody` is neither an action nor a tool of this graph",
        ),
        (
            "a: {autonomous: [], requires_approval: [], blocked: []}\nconsent_decay: {enabled: true}\n",
            "consent decays but nothing was ever reviewed, so every autonomous action asks",
        ),
    ] {
        let warnings: Vec<_> = load(text).warnings.into_iter().map(|w| w.message).collect();
        assert_eq!(warnings, [expected], "{text}");
    }
}

#[test]
fn the_hash_of_a_file_covers_its_bytes_and_that_of_an_inline_graph_its_value() {
    let bytes = MAIL.as_bytes();
    assert_eq!(load(MAIL).graph.hash, Digest::hash_bytes("countersign/graph/v1", bytes));
    let story = format!("story: x\ngraph:\n  {}", MAIL.replace('\n', "\n  "));
    let story = node::parse(story.as_bytes(), Format::Yaml).unwrap();
    let inline = load_inline_graph(story.get("graph").unwrap()).unwrap().graph;
    let value = node::parse(bytes, Format::Yaml).unwrap().to_json();
    assert_eq!(inline.hash, Digest::hash_value("countersign/graph/v1", &value).unwrap());
    assert_eq!(Graph { hash: inline.hash, ..load(MAIL).graph }, inline);
}

#[test]
fn command_rules_are_kept_as_text() {
    let text = "d: {autonomous: [look], requires_approval: [act], blocked: []}\n\
         commands:\n  allow: [git status, ' git log * ', cat <path:ws>]\n  deny: [path ./.env, rm *]\n  \
         classes:\n    d.look: [git diff *]\n    d.act: []\n    _note: kept by hand\n  env: [NODE_ENV, CI]\n";
    let LoadedGraph { graph, warnings, .. } =
        load_graph("g", text.as_bytes(), Format::Yaml).unwrap();
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    let allow = words(&["git status", "git log *", "cat <path:ws>"]);
    let (deny, env) = (words(&["path ./.env", "rm *"]), words(&["NODE_ENV", "CI"]));
    let action = |name: &str| Action::parse(name).unwrap();
    let classes = vec![(action("d.look"), words(&["git diff *"])), (action("d.act"), Vec::new())];
    assert_eq!(graph.commands, CommandRules { allow, deny, classes, env });
    assert_eq!(warnings, []);
}

#[test]
fn a_variable_that_loads_code_or_chooses_programs_is_refused_at_its_place() {
    for name in [
        "PATH",
        "LD_PRELOAD",
        "GIT_DIR",
        "CDPATH",
        "HOME",
        "RUSTFLAGS",
        "NODE_OPTIONS",
        "PYTHONPATH",
        "'A B'",
    ] {
        let text = format!(
            "d: {{autonomous: [], requires_approval: [act], blocked: []}}\ncommands: {{env: [CI, {name}]}}\n"
        );
        let problems = load_graph("g", text.as_bytes(), Format::Yaml).unwrap_err();
        let shown = problems.to_string();
        assert!(shown.contains("a line cannot set") && shown.contains("g:2:"), "{name}: {shown}");
    }
}

#[test]
fn a_command_rule_that_covers_nothing_gets_a_warning_with_its_span() {
    let text = "d: {autonomous: [], requires_approval: [act], blocked: []}\n\
         commands:\n  allow: [bash -c *, python *, ./run, cd src, sudo ls, git *, ls]\n  deny: [bash *]\n";
    let LoadedGraph { warnings, .. } = load_graph("g", text.as_bytes(), Format::Yaml).unwrap();
    let problems = Problems::new("g", text.as_bytes(), warnings);
    let lines: Vec<_> = problems.lines().collect();
    assert_eq!(
        lines,
        [
            "g:3:11: `bash -c *` covers nothing: an interpreter runs whatever it is given; the rule has to name its script",
            "g:3:22: `python *` covers nothing: an interpreter runs whatever it is given; the rule has to name its script",
            "g:3:32: `./run` covers nothing: the program lies where the agent can replace it",
            "g:3:39: `cd src` covers nothing: a builtin of the shell changes what later commands mean",
            "g:3:47: `sudo ls` covers nothing: it runs whatever command it is given",
            "g:3:56: `git *` covers nothing: its program has no option table, so `*` covers nothing",
        ]
    );
}
