//! *Sessions*: what each agent did over time, as lanes and as a table; and one session.

use crate::frame::{Frame, PageName};
use crate::record::{RecordRow, RowState};
use askama::Template;
use countersign_api::{SessionView, Timestamp};
use countersign_core::model::ids::CallId;
use countersign_core::model::time::Time;

/// What one session did in the time that the page shows.
pub struct Lane {
    /// As `AGENT/NAME`.
    pub session: String,
    pub is_open: bool,
    pub marks: Vec<LaneMark>,
}

pub struct LaneMark {
    pub call: CallId,
    pub at: Time,
    pub state: RowState,
    pub asked: bool,
    pub what: String,
}

#[derive(Template)]
#[template(path = "sessions.html")]
pub struct SessionsPage<'a> {
    pub frame: &'a Frame<'a>,
    pub lanes: Vec<Lane>,
    pub open: Vec<SessionView>,
    /// The lanes begin here.
    pub from: Time,
}

const LABELS: i64 = 190;
const WIDTH: i64 = 1_100;
const LANE: i64 = 34;

impl SessionsPage<'_> {
    fn width(&self) -> i64 {
        WIDTH
    }

    fn height(&self) -> i64 {
        i64::try_from(self.lanes.len()).unwrap_or(0) * LANE + 30
    }

    fn lane_top(&self, index: &usize) -> i64 {
        i64::try_from(*index).unwrap_or(0) * LANE + 22
    }

    fn label_end(&self) -> i64 {
        LABELS
    }

    fn place(&self, time: &Time) -> i64 {
        let whole = (self.frame.now.micros() - self.from.micros()).max(1);
        let part = (time.micros() - self.from.micros()).clamp(0, whole);
        let room = i128::from(WIDTH - LABELS - 20);
        let at = i128::from(part) * room / i128::from(whole);
        LABELS + 10 + i64::try_from(at).unwrap_or(0)
    }

    /// Where the axis says how long ago something was.
    fn ticks(&self) -> Vec<(i64, String)> {
        let span = self.frame.now.micros() - self.from.micros();
        (0..=4)
            .map(|part| Time::from_micros(self.from.micros() + span / 4 * part))
            .map(|at| (self.place(&at), self.frame.ago(at)))
            .collect()
    }

    fn mark_class(&self, mark: &LaneMark) -> &'static str {
        match (mark.state, mark.asked) {
            (RowState::Denied | RowState::Failed, _) => "m-denied",
            (RowState::Declined | RowState::Expired | RowState::Cancelled, _) => "m-declined",
            (RowState::Waiting, _) | (RowState::Allowed, true) => "m-asked",
            (RowState::Allowed, false) => "m-allowed",
        }
    }

    fn is_round(&self, mark: &LaneMark) -> bool {
        mark.state == RowState::Allowed && !mark.asked
    }

    fn is_crossed(&self, mark: &LaneMark) -> bool {
        matches!(mark.state, RowState::Denied | RowState::Declined)
    }

    fn count(&self, lane: &Lane, states: &[RowState]) -> usize {
        lane.marks.iter().filter(|mark| states.contains(&mark.state)).count()
    }

    fn count_asked(&self, lane: &Lane) -> usize {
        lane.marks.iter().filter(|mark| mark.asked).count()
    }

    fn label(&self, lane: &Lane) -> String {
        let shown = self.frame.show(&lane.session);
        match shown.chars().count() {
            ..=26 => shown,
            _ => format!("{}…", shown.chars().take(25).collect::<String>()),
        }
    }

    fn address(&self, session: &str) -> String {
        countersign_api::paths::percent_encode(session)
    }
}

#[derive(Template)]
#[template(path = "session.html")]
pub struct SessionPage<'a> {
    pub frame: &'a Frame<'a>,
    /// As `AGENT/NAME`.
    pub session: String,
    pub view: Option<SessionView>,
    /// The consent in force, in the words of the conversation.
    pub consent: Vec<String>,
    pub rows: Vec<RecordRow>,
    pub back_to: Option<Timestamp>,
}

impl SessionPage<'_> {
    fn query(&self) -> String {
        format!("session={}", countersign_api::paths::percent_encode(&self.session))
    }
}
