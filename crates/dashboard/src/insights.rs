//! *Insights*: what the questions were worth, and what would spare them.

use crate::frame::{Frame, PageName};
use askama::Template;
use countersign_api::Timestamp;
use countersign_card::{SecondConfirmation, Suggestion};
use countersign_core::model::grant::Scope;

/// One day of the record.
pub struct DayFigures {
    /// `2026-01-05`.
    pub day: String,
    pub calls: usize,
    pub asked: usize,
}

/// What became of the questions that were looked at.
#[derive(Default)]
pub struct AnswerFigures {
    pub allowed: usize,
    pub declined: usize,
    pub expired: usize,
    /// Seconds from question to answer, sorted.
    pub seconds: Vec<i64>,
}

#[derive(Template)]
#[template(path = "insights.html")]
pub struct InsightsPage<'a> {
    pub frame: &'a Frame<'a>,
    pub days: Vec<DayFigures>,
    pub answers: AnswerFigures,
    pub looked_at: usize,
    pub back_to: Option<Timestamp>,
    pub suggestions: Vec<Suggestion>,
    pub suggestions_from: usize,
}

impl InsightsPage<'_> {
    fn calls(&self) -> usize {
        self.days.iter().map(|day| day.calls).sum()
    }

    fn count_asked(&self) -> usize {
        self.days.iter().map(|day| day.asked).sum()
    }

    fn rate(&self) -> String {
        per_hundred(self.count_asked(), self.calls())
    }

    fn day_rate(&self, day: &DayFigures) -> String {
        per_hundred(day.asked, day.calls)
    }

    fn count_answered(&self) -> usize {
        self.answers.allowed + self.answers.declined
    }

    fn declined_share(&self) -> String {
        match self.count_answered() {
            0 => "–".to_owned(),
            all => format!("{} %", self.answers.declined * 100 / all),
        }
    }

    fn median(&self) -> String {
        let middle = self.answers.seconds.len() / 2;
        match self.answers.seconds.get(middle) {
            None => "–".to_owned(),
            Some(seconds @ ..120) => format!("{seconds} s"),
            Some(seconds) => format!("{} min", seconds / 60),
        }
    }

    fn bar(&self, day: &DayFigures) -> usize {
        let most = self.days.iter().map(|day| rate(day.asked, day.calls)).max().unwrap_or(0).max(1);
        rate(day.asked, day.calls) * 80 / most
    }

    fn bar_top(&self, day: &DayFigures) -> usize {
        95 - self.bar(day)
    }

    fn bar_left(&self, index: &usize) -> usize {
        *index * 44 + 10
    }

    fn chart_width(&self) -> usize {
        (self.days.len() * 44 + 20).max(200)
    }

    fn short_day(&self, day: &DayFigures) -> String {
        day.day.chars().skip(5).collect()
    }

    fn scope(&self, scope: &Scope) -> &'static str {
        if *scope == Scope::Project { "project" } else { "session" }
    }

    fn needs_second(&self, second: &SecondConfirmation) -> bool {
        *second == SecondConfirmation::Needed
    }
}

fn rate(part: usize, whole: usize) -> usize {
    (part * 1_000).checked_div(whole).unwrap_or(0)
}

fn per_hundred(part: usize, whole: usize) -> String {
    match whole {
        0 => "–".to_owned(),
        _ => format!("{}.{}", rate(part, whole) / 10, rate(part, whole) % 10),
    }
}
