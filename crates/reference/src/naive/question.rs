//! One action of a call with its rule and its risk, which this implementation computes from its own
//! table.

use super::decided::{NaiveAction, list_decided_actions};
use super::find_open_session;
use super::lookups::running_parent;
use super::pins::are_programs_pinned;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, Part};
use countersign_core::model::category::Category;
use countersign_core::model::danger::DangerKind;
use countersign_core::model::graph::{Decay, Domain, Graph, LastReview, Rule, Unclassified};
use countersign_core::model::names::Action;
use countersign_core::model::place::{ActionOrigin, Place};
use countersign_core::model::rule_results::{CommandRuleResult, Firmness};
use countersign_core::model::time::Date;
use countersign_core::model::words::{Risk, Tier};
use countersign_core::state::{CallRecord, Restraints, Session};

pub struct ActionQuestion<'a> {
    pub facts: &'a Facts<'a>,
    pub graph: &'a Graph,
    pub call: &'a Call,
    /// Set on a retry.
    pub record: Option<&'a CallRecord>,
    /// The action that is decided. It can differ from the one that the call names.
    pub action: &'a Action,
    pub part: Part,
    /// What was found about it, and where it comes from.
    pub decided: NaiveAction<'a>,
    pub rule: Option<&'a Rule>,
    /// The effective tier for this call, from list, policy or command rule.
    pub tier: Option<Tier>,
    pub domain: Option<&'a Domain>,
    pub session: Option<&'a Session>,
    pub restraints: Option<&'a Restraints>,
    pub risk: Risk,
    pub is_reduced: bool,
}

/// One question per action of the call, then one per action that it only declares.
pub fn list_questions<'a>(
    facts: &'a Facts<'a>,
    graph: &'a Graph,
    call: &'a Call,
    record: Option<&'a CallRecord>,
) -> Vec<ActionQuestion<'a>> {
    let question = |decided: NaiveAction<'a>| {
        let (action, part) = (decided.action, decided.part);
        let rule = graph.rules.get(action);
        let domain = graph.domains.get(action.domain());
        let session = find_open_session(facts, &call.session);
        let carried = facts.state.carried_over.get(&call.agent);
        let carried = carried.filter(|carried| facts.now < carried.ends_at);
        // A call that opens a session starts with what its agent carries over into it.
        let restraints = match session {
            Some(open) => Some(&open.restraints),
            None => carried.map(|carried| &carried.restraints),
        };
        // Reducers do not apply to a retry: its caller no longer runs.
        let to = if record.is_some() { None } else { reduced_risk(facts, graph, call, action) };
        let (risk, is_reduced) = (effective_risk(rule, call, &decided, to), to.is_some());
        let tier = rule.map(|rule| rule.tier);
        #[rustfmt::skip]
        let mut question = ActionQuestion {
            facts, graph, call, record, action, part, decided, rule, tier, domain, session, restraints, risk, is_reduced,
        };
        question.tier = effective_tier(&question);
        question
    };
    list_decided_actions(facts, graph, call).into_iter().map(question).collect()
}

impl<'a> ActionQuestion<'a> {
    /// The categories that our side gives it: a class replaces what the tool mapping says.
    pub fn given_categories(&self) -> &'a [Category] {
        given_categories(self.call, &self.decided)
    }

    /// It acts at a place that its rule does not speak of, so that neither the rule nor a rule for
    /// commands is enough.
    pub fn is_held_by_place(&self) -> bool {
        !self.decided.places.is_empty()
    }

    pub fn has_rule_where(&self, holds: impl Fn(&Rule) -> bool) -> bool {
        self.rule.is_some_and(holds)
    }

    pub fn has_session_where(&self, holds: impl Fn(&Session) -> bool) -> bool {
        self.session.is_some_and(holds)
    }

    pub fn has_restraint_where(&self, holds: impl Fn(&Restraints) -> bool) -> bool {
        self.restraints.is_some_and(holds)
    }

    pub fn is_unlisted(&self, set_to: Unclassified) -> bool {
        self.rule.is_none() && self.graph.unclassified == set_to
    }

    /// An autonomous action whose domain (or else graph) was not reviewed for too long.
    pub fn is_decayed(&self) -> bool {
        let Decay::AfterDays(days) = self.graph.decay else { return false };
        let own = self.domain.and_then(|domain| domain.last_reviewed.as_ref());
        let age = |date: &Date| self.facts.now.date().days_since(*date);
        let is_old = match own.unwrap_or(&self.graph.last_reviewed) {
            LastReview::Never | LastReview::Unreadable(_) => true,
            LastReview::On(date) => age(date) < 0 || age(date) >= i64::from(days),
        };
        is_old && self.tier == Some(Tier::Autonomous)
    }
}

/// A policy overrides the list. Command rules apply to the actions the call performs, not to those it
/// declares, and can allow only an action that needs approval, that no policy forbids and that stays
/// where its rule expects it. They hold for programs that nobody replaced.
fn effective_tier(q: &ActionQuestion) -> Option<Tier> {
    let by = q.facts.ruled.policies.get(q.action);
    let forbidden = by.is_some_and(|by| by.hold == Firmness::Firm);
    // For an unlisted action, a policy can only forbid.
    let by = by.filter(|by| q.rule.is_some() || (forbidden && by.tier == Tier::Blocked));
    let tier = by.map_or(q.tier, |by| Some(by.tier));
    let can_relax = tier == Some(Tier::RequiresApproval) && !forbidden && !q.is_held_by_place();
    match q.facts.ruled.command.as_ref().filter(|_| q.part == Part::Named) {
        Some(CommandRuleResult::Denied { .. }) => Some(Tier::Blocked),
        Some(CommandRuleResult::Allowed { .. })
            if can_relax && are_programs_pinned(q.facts, q.call, |_| true) =>
        {
            Some(Tier::Autonomous)
        }
        _ => tier,
    }
}

/// The minimum risk of categories. A category in none of the lists has high risk.
#[rustfmt::skip]
const RISK_FLOORS: [(Risk, &str); 4] = [
    (Risk::ReadOnly, "local_read_only support_packet_create filesystem_read"),
    (Risk::Low, "capture_screen foreground_takeover focus_change pointer_movement
        generic_driver_fallback local_visual_fallback"),
    (Risk::Moderate, "setting_change submit_form text_entry microphone_start git git-local test
        microphone_or_speech speech_recognition_start credential_context_present build lint
        workplace_data_present bystander_or_third_party_data_present filesystem_write git_write
        http_fetch file-edit script"),
    (Risk::Critical, "purchase credential_or_payment two_factor_authentication
        delete_or_destructive_change account_or_security_change screen_share_external
        camera_share_external microphone_share_external support_packet_share"),
];

pub fn risk_floor(category: &Category) -> Risk {
    let lists = |table: &str| table.split_whitespace().any(|name| name == category.as_str());
    RISK_FLOORS.iter().find(|(_, table)| lists(table)).map_or(Risk::High, |(risk, _)| *risk)
}

/// A declared action has the risk of its rule; an action the call performs can only be riskier.
fn effective_risk(
    rule: Option<&Rule>,
    call: &Call,
    decided: &NaiveAction,
    to: Option<Risk>,
) -> Risk {
    let own = rule.map_or(Risk::High, |rule| rule.risk);
    let mut risk = to.map_or(own, |to| own.min(to));
    if decided.part == Part::Declared {
        return risk;
    }
    let is_new = |c: &&Category| !rule.is_some_and(|rule| rule.categories.contains(c));
    let given = given_categories(call, decided).iter();
    risk =
        given.chain(&call.claims.categories).filter(is_new).map(risk_floor).fold(risk, Risk::max);
    let detected = if has_detectors(call, decided) { Risk::High } else { Risk::ReadOnly };
    let at_place = decided.places.iter().map(|place| match place {
        Place::Secret | Place::WriteGuarded | Place::WriteOutside => Risk::High,
        Place::ReadOutside => Risk::Moderate,
    });
    let dangers = decided.findings.iter().flat_map(|found| &found.dangers);
    let endangered = dangers.map(|danger| match danger.kind {
        DangerKind::Catastrophe | DangerKind::Workspace | DangerKind::Shared => Risk::Critical,
        DangerKind::ForeignCode => Risk::High,
        DangerKind::Noted => Risk::ReadOnly,
    });
    at_place
        .chain(endangered)
        .fold(risk.max(detected).max(call.claims.risk.unwrap_or(Risk::ReadOnly)), Risk::max)
}

fn given_categories<'a>(call: &'a Call, decided: &NaiveAction) -> &'a [Category] {
    match decided.origin {
        ActionOrigin::Call => &call.given,
        ActionOrigin::Class => &call.observed.categories,
    }
}

/// A class has the detectors of its own commands only.
fn has_detectors(call: &Call, decided: &NaiveAction) -> bool {
    match decided.origin {
        ActionOrigin::Call => !call.detectors.is_empty(),
        ActionOrigin::Class => decided.findings.iter().any(|found| !found.detectors.is_empty()),
    }
}

/// The lowest risk that a reducer gives the action, if the reducer's caller is in the call stack.
fn reduced_risk(facts: &Facts, graph: &Graph, call: &Call, action: &Action) -> Option<Risk> {
    let mut stack: Vec<&str> = call.observed.callers.iter().map(String::as_str).collect();
    let mut outer = running_parent(facts, call);
    while let Some(record) = outer {
        stack.extend(record.call.actions.iter().map(Action::as_str));
        stack.extend(record.call.tool.iter().map(|tool| tool.as_str()));
        outer = running_parent(facts, &record.call);
    }
    let running = |caller: &String| stack.contains(&caller.as_str());
    let reducers = graph.reducers.iter().filter(|r| r.action == *action && running(&r.caller));
    reducers.map(|reducer| reducer.to).min()
}
