//! *Grants*: what is allowed, until when, and what is due for review.

use crate::frame::{Frame, PageName};
use crate::words;
use askama::Template;
use countersign_api::{DueReviewsResponse, GrantFilter, GrantOwner, GrantView, SessionView};
use countersign_core::model::ids::GrantId;

#[derive(Template)]
#[template(path = "grants.html")]
pub struct GrantsPage<'a> {
    pub frame: &'a Frame<'a>,
    pub grants: Vec<GrantView>,
    pub next: Option<GrantId>,
    pub filter: GrantFilter,
    pub due: DueReviewsResponse,
    /// Where a new grant can be given.
    pub sessions: Vec<SessionView>,
}

impl GrantsPage<'_> {
    fn filters(&self) -> [(&'static str, &'static str, bool); 3] {
        let is = |filter| self.filter == filter;
        [
            ("in_force", "In force", is(GrantFilter::InForce)),
            ("used", "Used up", is(GrantFilter::Used)),
            ("all", "All", is(GrantFilter::All)),
        ]
    }

    fn filter_word(&self) -> &'static str {
        match self.filter {
            GrantFilter::InForce => "in_force",
            GrantFilter::Used => "used",
            GrantFilter::All => "all",
        }
    }

    fn owner(&self, grant: &GrantView) -> String {
        match &grant.owner {
            GrantOwner::Session(session) => format!("session {session}"),
            GrantOwner::Project(project) => format!("project {project}"),
            GrantOwner::User => "every project".to_owned(),
        }
    }

    fn is_of_project(&self, grant: &GrantView) -> bool {
        matches!(grant.owner, GrantOwner::Project(_))
    }

    /// Reviews that are due now or within a week.
    fn has_due(&self) -> bool {
        self.due.days_left.is_some_and(|days| days <= 7)
    }

    fn days(&self, days: i64) -> String {
        match days {
            ..0 => "overdue".to_owned(),
            0 => "due today".to_owned(),
            1 => "due tomorrow".to_owned(),
            days => format!("due in {days} days"),
        }
    }

    fn risk_class(&self, grant: &GrantView) -> &'static str {
        words::risk_class(grant.max_risk)
    }
}
