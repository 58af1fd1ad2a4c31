//! *Now*: what waits, the card, what runs, what is allowed.

use crate::card_panel::CardPanel;
use crate::frame::Frame;
use crate::frame::PageName;
use crate::limits;
use crate::words;
use askama::Template;
use countersign_api::{CardView, GrantView, RunView, SessionView, Timestamp};
use countersign_card::Card;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::Agent;
use countersign_core::model::words::Risk;
use std::collections::BTreeMap;

#[derive(Template)]
#[template(path = "now.html")]
pub struct NowPage<'a> {
    pub frame: &'a Frame<'a>,
    pub waiting: WaitingList,
    pub panel: Option<CardPanel<'a>>,
    /// Whether the address names the question: then it comes first on a narrow screen.
    pub is_chosen: bool,
    pub sessions: Vec<SessionView>,
    pub runs: Vec<RunView>,
    pub grants: Vec<GrantView>,
    pub paused: Vec<Agent>,
}

impl NowPage<'_> {
    fn listed_grants(&self) -> &[GrantView] {
        let end = self.grants.len().min(limits::GRANTS_BESIDE_CARD);
        self.grants.get(..end).unwrap_or_default()
    }

    fn more_grants(&self) -> usize {
        self.grants.len().saturating_sub(limits::GRANTS_BESIDE_CARD)
    }

    /// The name of a project's folder.
    fn last_part(&self, project: &str) -> String {
        let name = project.trim_end_matches('/').rsplit('/').next().unwrap_or(project);
        self.frame.show(name)
    }

    fn is_paused(&self, agent: &Agent) -> bool {
        self.paused.contains(agent)
    }
}

/// What waits, in the order in which it is read.
pub struct WaitingList {
    pub groups: Vec<WaitingGroup>,
    pub total: usize,
}

/// One question, or those of an agent that asks too often.
pub struct WaitingGroup {
    pub burst: Option<Burst>,
    pub rows: Vec<WaitingRow>,
}

pub struct Burst {
    pub agent: String,
    pub count: usize,
    pub is_open: bool,
}

pub struct WaitingRow {
    pub request: RequestId,
    pub risk: Risk,
    pub headline: String,
    pub agent: String,
    pub project: String,
    pub opened_at: Timestamp,
    pub is_selected: bool,
}

impl WaitingRow {
    fn new(card: &Card, selected: Option<RequestId>) -> Self {
        let project = card.who.iter().find(|field| field.name.as_str() == "project");
        let project = project.and_then(|field| field.lines.first());
        let project = project.map(|line| line.display_text().as_str()).unwrap_or_default();
        Self {
            request: card.request,
            risk: card.risk,
            headline: card.headline.to_string(),
            agent: card.agent().unwrap_or("an agent").to_owned(),
            project: project.rsplit('/').next().unwrap_or_default().to_owned(),
            opened_at: Timestamp(card.opened_at),
            is_selected: selected == Some(card.request),
        }
    }

    pub(crate) fn risk_class(&self) -> &'static str {
        words::risk_class(self.risk)
    }

    pub(crate) fn risk_shape(&self) -> &'static str {
        words::risk_shape(self.risk)
    }

    pub(crate) fn risk_word(&self) -> &'static str {
        words::risk_word(self.risk)
    }
}

impl WaitingList {
    /// Highest risk first, the oldest first within a risk. An agent that asked too often within a
    /// minute gets one row, which comes last: its questions were not chosen by their risk.
    pub fn new(cards: &[CardView], selected: Option<RequestId>) -> Self {
        let mut sorted: Vec<&Card> = cards.iter().map(|view| &view.card).collect();
        sorted.sort_by_key(|card| (std::cmp::Reverse(card.risk), card.opened_at, card.request));
        let bursts = find_bursts(&sorted);
        let (mut single, mut collapsed) = (Vec::new(), BTreeMap::<String, Vec<WaitingRow>>::new());
        for card in sorted {
            let row = WaitingRow::new(card, selected);
            match bursts.contains_key(&row.agent) {
                true => collapsed.entry(row.agent.clone()).or_default().push(row),
                false => single.push(WaitingGroup { burst: None, rows: vec![row] }),
            }
        }
        single.extend(collapsed.into_iter().map(|(agent, rows)| {
            let is_open = rows.iter().any(|row| row.is_selected);
            let count = bursts.get(&agent).copied().unwrap_or(rows.len());
            WaitingGroup { burst: Some(Burst { agent, count, is_open }), rows }
        }));
        Self { groups: single, total: cards.len() }
    }

    /// The question that is shown if none is named. That of a burst is shown only when it is chosen.
    pub fn first(&self) -> Option<RequestId> {
        let group = self.groups.iter().find(|group| group.burst.is_none())?;
        group.rows.first().map(|row| row.request)
    }
}

/// The agents of which more questions than are shown one by one were opened within the window.
fn find_bursts(cards: &[&Card]) -> BTreeMap<String, usize> {
    let mut opened = BTreeMap::<String, Vec<_>>::new();
    for card in cards {
        opened
            .entry(card.agent().unwrap_or("an agent").to_owned())
            .or_default()
            .push(card.opened_at);
    }
    let mut bursts = BTreeMap::new();
    for (agent, mut times) in opened {
        times.sort();
        let within = |start: usize| {
            let first = times.get(start).copied();
            let until = first.map(|first| first + limits::BURST_WINDOW);
            times.iter().skip(start).take_while(|at| until.is_some_and(|end| **at < end)).count()
        };
        let most = (0..times.len()).map(within).max().unwrap_or(0);
        if most > limits::MAX_SEPARATE_QUESTIONS {
            bursts.insert(agent, most);
        }
    }
    bursts
}
