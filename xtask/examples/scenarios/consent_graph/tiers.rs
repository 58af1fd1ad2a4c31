//! What the graph says about an action, and who may change it.

use crate::scenarios::TrialResult;
use crate::scenarios::graph::NEGLECTED;
use crate::scenarios::play::Play;
use crate::scenarios::scenario::Scenario;
use serde_json::json;

const ANN: &str = "ann@example.org";

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("an autonomous action happens at once, and is in the log", act_freely),
    Scenario::new(
        "the tier of an action is printed with the words of the earlier system",
        print_tiers,
    ),
    Scenario::new("confidence alone sends no message that cannot be taken back", trust_nobody),
    Scenario::new("an unsure agent asks first", ask_first),
    Scenario::new("a blocked action never happens, and the operator is alerted", block),
    Scenario::new("the alert names what the action was aimed at", name_the_target),
    Scenario::new("a message to somebody who is no contact is blocked", block_strangers),
    Scenario::new("the name of a contact is not its number", know_contacts_by_id),
    Scenario::new("an action in no list asks, however sure the agent is", ask_about_gaps),
    Scenario::new("one event goes to one destination; a second one asks", route_once),
    Scenario::new(
        "self-modification from a conversation is refused, and the operator alerted",
        demand_the_channel,
    ),
    Scenario::new("nobody changes the graph or the audit log through the agent", protect_the_rules),
    Scenario::new("the agent cannot reach the files of the gate itself", protect_own_files),
    Scenario::on_graph(
        NEGLECTED,
        "permissions that nobody reviewed ask again; reading goes on; a review restores them",
        decay,
    ),
    Scenario::new(
        "a graph with an action in two lists is refused, with its line",
        refuse_a_bad_graph,
    ),
];

fn act_freely(p: &mut Play) -> TrialResult<()> {
    p.call("email.label").gets(p, "allowed", "autonomous")?;
    p.cli(&["log"], 0, "email.label").map(drop)
}

fn print_tiers(p: &mut Play) -> TrialResult<()> {
    p.cli(&["check", "email", "read"], 0, "SILENT")?;
    p.cli(&["check", "imessage", "send_vip", "0.9"], 8, "VISIBLE")?;
    p.cli(&["check", "imessage", "send_vip", "0.5"], 8, "FORCED")?;
    p.cli(&["check", "self_modification", "modify_soul_md", "0.99"], 5, "BLOCKED").map(drop)
}

fn trust_nobody(p: &mut Play) -> TrialResult<()> {
    let send = p.call("imessage.send_vip").to("+15550100001").confidence(0.99);
    send.gets(p, "pending", "no_grant").map(drop)
}

fn ask_first(p: &mut Play) -> TrialResult<()> {
    p.call("email.delete").to("m1").confidence(0.5).gets(p, "pending", "no_grant")?;
    p.expect_cards(1)
}

fn block(p: &mut Play) -> TrialResult<()> {
    let unlock = p.call("home_automation.unlock_doors").confidence(1.0);
    unlock.gets(p, "denied", "blocked")?;
    p.expect_notice("blocked", "home_automation.unlock_doors").map(drop)
}

fn name_the_target(p: &mut Play) -> TrialResult<()> {
    p.call("email.send").to("stranger@example.net").gets(p, "denied", "blocked")?;
    let notice = p.expect_notice("blocked", "")?;
    p.expect_text("the notice", &notice.to_string(), "stranger@example.net")
}

fn block_strangers(p: &mut Play) -> TrialResult<()> {
    p.call("email.send").to("stranger@example.net").gets(p, "denied", "blocked")?;
    p.call("email.send").to(ANN).gets(p, "pending", "no_grant").map(drop)
}

fn know_contacts_by_id(p: &mut Play) -> TrialResult<()> {
    p.call("email.send").to("ann").gets(p, "denied", "blocked").map(drop)
}

fn ask_about_gaps(p: &mut Play) -> TrialResult<()> {
    let paint = p.call("home_automation.paint_walls").confidence(1.0);
    paint.gets(p, "pending", "unclassified").map(drop)
}

fn route_once(p: &mut Play) -> TrialResult<()> {
    let event = json!({"event": "door-1", "text": "the door is open"});
    let by_chat = p.call("notifications.send_telegram_owner").args(event.clone()).to("chat");
    by_chat.gets(p, "allowed", "autonomous")?;
    let by_mail = p.call("notifications.send_email_owner").args(event).to("mail");
    by_mail.gets(p, "pending", "fan_out").map(drop)
}

fn demand_the_channel(p: &mut Play) -> TrialResult<()> {
    let prune = p.call("self_modification.prune_stale_memory").confidence(1.0);
    prune.gets(p, "denied", "channel_required")?;
    p.expect_notice("channel_required", "self_modification.prune_stale_memory").map(drop)
}

fn protect_the_rules(p: &mut Play) -> TrialResult<()> {
    for action in ["modify_consent_graph", "delete_audit_log", "modify_soul_md"] {
        p.call(&format!("self_modification.{action}")).gets(p, "denied", "blocked")?;
    }
    Ok(())
}

fn protect_own_files(p: &mut Play) -> TrialResult<()> {
    let graph = p.daemon.graph().display().to_string();
    let read = p.tool("read_file", json!({"path": graph}));
    read.gets(p, "denied", "self_protection").map(drop)
}

fn decay(p: &mut Play) -> TrialResult<()> {
    p.await_event("review_due")?;
    p.call("email.label").confidence(1.0).gets(p, "pending", "decayed")?;
    p.call("email.read").gets(p, "allowed", "read_only")?;
    let graph = p.daemon.graph().display().to_string();
    p.cli(&["check", "email", "label", "0.99", "--graph", &graph], 8, "FORCED")?;
    p.cli(&["graph", "review", "--yes", "--graph", &graph], 0, "")?;
    p.cli(&["check", "email", "label", "--graph", &graph], 0, "SILENT").map(drop)
}

fn refuse_a_bad_graph(p: &mut Play) -> TrialResult<()> {
    let file = p.workspace()?.join("bad.yaml");
    let text = "domains:\n  email: {autonomous: [send], requires_approval: [send], blocked: []}\n";
    xtask::bench::runs::Context::context(std::fs::write(&file, text), "a graph")?;
    p.cli(&["graph", "check", &file.display().to_string()], 1, "send").map(drop)
}
