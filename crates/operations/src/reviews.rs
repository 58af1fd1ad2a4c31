//! Reviews that are due: one notice some days ahead, one alert on the day. Both end with the review.
//!
//! See docs/decisions/0067-notices-that-end.md.

use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::Change;
use countersign_core::model::grant::{Grant, Owner};
use countersign_core::model::graph::{Decay, Graph, LastReview};
use countersign_core::model::ids::GrantId;
use countersign_core::model::limits;
use countersign_core::model::names::Agent;
use countersign_core::model::notice::{Cause, Notice};
use countersign_core::model::time::{Date, Span, Time};
use countersign_core::steps::notice::operator_alert;
use serde_json::json;
use std::collections::BTreeMap;

/// Something that has to be reviewed. Without a day it never was, so it is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    pub subject: ReviewSubject,
    pub due_on: Option<Date>,
}

impl Review {
    /// Days until it is due; 0 or less if it is due now.
    fn days_left(&self, today: Date) -> i64 {
        self.due_on.map_or(0, |day| day.days_since(today))
    }

    /// Whether the operator has to be notified about it on this day.
    pub fn is_near(&self, today: Date) -> bool {
        self.days_left(today) <= limits::REVIEW_NOTICE_DAYS
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewSubject {
    Graph,
    Domain(String),
    Grant { id: GrantId, agent: Agent },
}

/// Everything that has a review date: the rules, if they decay, and the grants of projects.
pub fn list_reviews<'a>(
    graph: &Graph,
    grants: impl Iterator<Item = &'a Grant>,
    now: Time,
) -> Vec<Review> {
    let mut reviews = list_rule_reviews(graph, now.date());
    let is_reviewed = |grant: &&Grant| {
        matches!(grant.owner, Owner::Project(_)) && grant.ends_at.is_none() && grant.in_force(now)
    };
    reviews.extend(grants.filter(is_reviewed).map(|grant| Review {
        subject: ReviewSubject::Grant { id: grant.id, agent: grant.agent.clone() },
        due_on: Some((grant.reviewed_at + Span::days(graph.review_days.into())).date()),
    }));
    reviews
}

fn list_rule_reviews(graph: &Graph, today: Date) -> Vec<Review> {
    let Decay::AfterDays(days) = graph.decay else { return Vec::new() };
    let due = |reviewed: &LastReview| match reviewed {
        // A date in the future does not count as a review.
        LastReview::On(date) if *date <= today => Some(date.plus_days(days.into())),
        LastReview::On(_) | LastReview::Never | LastReview::Unreadable(_) => None,
    };
    let whole = Review { subject: ReviewSubject::Graph, due_on: due(&graph.last_reviewed) };
    let domains = graph.domains.iter().filter_map(|(name, domain)| {
        let subject = ReviewSubject::Domain(name.clone());
        Some(Review { subject, due_on: due(domain.last_reviewed.as_ref()?) })
    });
    std::iter::once(whole).chain(domains).collect()
}

/// Raises the notices that these reviews need, once each, and ends those that they need no more.
pub fn update_review_notices(facts: &Facts, reviews: &[Review]) -> Vec<Change> {
    let today = facts.now.date();
    let near = reviews.iter().filter(|review| review.is_near(today));
    let (due, soon): (Vec<&Review>, Vec<&Review>) =
        near.partition(|review| review.days_left(today) <= 0);
    let wanted: Vec<Notice> = [(Cause::ReviewSoon, soon), (Cause::ReviewDue, due)]
        .into_iter()
        .filter_map(|(cause, reviews)| build_notice(facts, cause, &reviews))
        .collect();
    let known =
        || facts.state.notices.values().filter(|n| n.cause.is_review() && n.is_remembered());
    let ended = known().filter(|notice| !wanted.iter().any(|one| one.is_like(notice)));
    let mut changes: Vec<Change> =
        ended.map(|notice| Change::NoticeEnded { notice: notice.id }).collect();
    let raised = wanted.iter().filter(|notice| !known().any(|one| one.is_like(notice)));
    changes.extend(raised.map(|notice| Change::NoticeRaised { notice: Box::new(notice.clone()) }));
    changes
}

fn build_notice(facts: &Facts, cause: Cause, reviews: &[&Review]) -> Option<Notice> {
    if reviews.is_empty() {
        return None;
    }
    let form: Vec<_> =
        reviews.iter().map(|review| json!([name_subject(review), due_text(review)])).collect();
    let digest = Digest::hash_value("countersign/review/v1", &json!([cause.word(), form])).ok()?;
    let first = reviews.iter().map(|review| due_text(review)).min().unwrap_or_default();
    let what = list_subjects(reviews);
    let text = match cause == Cause::ReviewSoon {
        true => format!(
            "a review is due on {first}: {what}. After it, rules ask and project grants carry nothing; `countersign graph review` confirms them"
        ),
        false => format!(
            "a review is due: {what}. Until `countersign graph review`, rules ask and project grants carry nothing"
        ),
    };
    let Change::NoticeRaised { notice } = operator_alert(facts, cause, &text) else { return None };
    Some(Notice { digest: Some(digest), ..*notice })
}

fn due_text(review: &Review) -> String {
    review.due_on.map_or_else(|| "never reviewed".to_owned(), |day| day.to_string())
}

fn name_subject(review: &Review) -> String {
    match &review.subject {
        ReviewSubject::Graph => "the graph".to_owned(),
        ReviewSubject::Domain(name) => format!("domain {name}"),
        ReviewSubject::Grant { id, .. } => id.to_string(),
    }
}

/// The rules by name, the grants by agent.
fn list_subjects(reviews: &[&Review]) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut grants: BTreeMap<&Agent, usize> = BTreeMap::new();
    for review in reviews {
        match &review.subject {
            ReviewSubject::Graph | ReviewSubject::Domain(_) => names.push(name_subject(review)),
            ReviewSubject::Grant { agent, .. } => *grants.entry(agent).or_default() += 1,
        }
    }
    names.extend(grants.into_iter().map(|(agent, count)| match count {
        1 => format!("1 project grant of {agent}"),
        count => format!("{count} project grants of {agent}"),
    }));
    names.join(", ")
}
