//! What the operator does: reads a card, answers it, says something, looks at grants and notices.

use super::TrialResult;
use super::call::Called;
use super::play::{Play, shorten, text};
use serde_json::{Value, json};
use xtask::bench::runs::Context;
use xtask::failure::Failure;

const SURFACE: &str = "desk";

impl Play<'_> {
    /// The cards that are open in the session of the scenario, the oldest first.
    pub fn cards(&mut self) -> TrialResult<Vec<Value>> {
        let (mut cards, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.operator_reads(&format!("/v1/requests?limit=100{after}"))?;
            let listed = page.get("requests").and_then(Value::as_array).cloned();
            cards.extend(listed.unwrap_or_default());
            match text(&page, "next") {
                end if end.is_empty() => break,
                next => after = format!("&after={next}"),
            }
        }
        let own = json!(self.session);
        let agent = json!(self.name);
        let is_own = |card: &Value| {
            let who = card.get("who").and_then(Value::as_array);
            let has = |value: &Value| {
                let quoted = value.to_string();
                who.is_some_and(|fields| fields.iter().any(|f| f.to_string().contains(&quoted)))
            };
            has(&own) && has(&agent)
        };
        cards.retain(is_own);
        Ok(cards)
    }

    /// The card that waits for an answer about a call.
    pub fn card_of(&mut self, call: &Called) -> TrialResult<Value> {
        let waits = |card: &&Value| {
            let calls = card.get("calls").and_then(Value::as_array);
            calls.is_some_and(|calls| calls.iter().any(|id| id == call.operation.as_str()))
        };
        let found = self.cards()?.iter().find(waits).cloned();
        found.ok_or_else(|| Failure::new("no open card is about the call"))
    }

    /// The only open card of the session.
    pub fn only_card(&mut self) -> TrialResult<Value> {
        let mut cards = self.cards()?;
        self.expect("open cards", cards.len(), 1)?;
        cards.pop().ok_or_else(|| Failure::new("no card is open"))
    }

    pub fn expect_cards(&mut self, count: usize) -> TrialResult<()> {
        let found = self.cards()?.len();
        self.tell(format!("open cards: {found}"));
        self.expect("open cards", found, count)
    }

    /// Reads the whole text of a card, as a surface does before it takes a yes to high risk.
    pub fn show_whole(&mut self, card: &Value) -> TrialResult<String> {
        let id = text(card, "request");
        let shown = self.operator_reads(&format!("/v1/requests/{id}/text"))?;
        let delivery = json!({
            "request": id, "surface": SURFACE, "evidence": "requested", "shown": "whole",
        });
        self.operator().post("/v1/deliveries", &delivery).context("a delivery")?;
        Ok(shown.get("lines").unwrap_or(&Value::Null).to_string())
    }

    /// Sends an answer with the digest of its card. `more` adds to it.
    pub fn send_answer(
        &mut self,
        card: &Value,
        more: Value,
    ) -> Result<Value, countersign_client::ClientError> {
        let mut body = json!({"digest": text(card, "digest"), "surface": SURFACE});
        if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
            body.extend(more.clone());
        }
        let path = format!("/v1/requests/{}/answer", text(card, "request"));
        self.operator().post(&path, &body)
    }

    /// Answers a card, with whatever it wants to be typed, and expects that the answer counts.
    pub fn answer_card(&mut self, card: &Value, mut more: Value) -> TrialResult<Value> {
        self.show_whole(card)?;
        let typed = card.get("confirm").and_then(|confirm| confirm.get("typed"));
        if let (Some(more), Some(typed)) = (more.as_object_mut(), typed) {
            more.entry("confirm").or_insert_with(|| typed.clone());
        }
        let said = more.to_string();
        let answered = self.send_answer(card, more);
        let reply = answered.map_err(|error| {
            Failure::new(format!("the answer {said} was refused: {error}; {}", error.help()))
        })?;
        self.tell(format!("operator answers {said}: {}", shorten(&reply.to_string())));
        Ok(reply)
    }

    pub fn answer(&mut self, call: &Called, choice: &str) -> TrialResult<Value> {
        let card = self.card_of(call)?;
        self.answer_card(&card, json!({"choice": choice}))
    }

    pub fn decline(&mut self, call: &Called, note: &str) -> TrialResult<()> {
        let card = self.card_of(call)?;
        self.answer_card(&card, json!({"choice": "decline", "note": note})).map(drop)
    }

    pub fn expect_on_card(&mut self, card: &Value, words: &str) -> TrialResult<()> {
        let lines: Vec<&str> = card
            .get("lines")
            .and_then(Value::as_array)
            .map(|lines| lines.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let shown = lines.join("\n");
        self.expect_text("the card", &shown, words)?;
        let line = lines.iter().find(|line| line.contains(words));
        self.tell(format!("the card says: {}", line.copied().unwrap_or(words)));
        Ok(())
    }

    /// The operator says something in the agent's window, and the adapter reports it.
    pub fn says(&mut self, words: &str, heard: &str) -> TrialResult<Vec<String>> {
        let body = json!({"session": self.session, "text": words});
        let reply = self.adapter.post("/v1/turns", &body).context("a turn")?;
        self.take_turn(&format!("operator says \"{words}\""), &reply, heard)
    }

    /// The agent reports a turn itself, which can only tighten.
    pub fn agent_reports(&mut self, words: &str, heard: &str) -> TrialResult<Vec<String>> {
        let body = json!({"session": self.session, "text": words});
        let reply = self.agent.post("/v1/turns", &body).context("a turn")?;
        self.take_turn(&format!("agent reports \"{words}\""), &reply, heard)
    }

    fn take_turn(&mut self, what: &str, reply: &Value, heard: &str) -> TrialResult<Vec<String>> {
        let lines = reply.get("lines").and_then(Value::as_array).cloned().unwrap_or_default();
        let lines: Vec<String> =
            lines.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let found = text(reply, "heard");
        self.tell(format!("{what}: {found}: {}", shorten(&lines.join(" / "))));
        self.expect(what, found, heard.to_owned())?;
        Ok(lines)
    }

    /// What the operator sees of the grants that are in force in the session.
    pub fn grants(&mut self) -> TrialResult<Vec<Value>> {
        let session = self.operators_name().replace('/', "%2F");
        let page = self.operator_reads(&format!("/v1/grants?session={session}"))?;
        Ok(page.get("grants").and_then(Value::as_array).cloned().unwrap_or_default())
    }

    pub fn expect_grants(&mut self, count: usize) -> TrialResult<()> {
        let grants = self.grants()?;
        let covers: Vec<String> = grants.iter().map(|grant| text(grant, "covers")).collect();
        self.tell(format!("grants in force: {}", shorten(&format!("{covers:?}"))));
        self.expect("grants in force", grants.len(), count)
    }

    pub fn revoke(&mut self, grant: &Value) -> TrialResult<()> {
        self.operator_sends("/v1/revoke", &json!({"grant": text(grant, "id")})).map(drop)
    }

    /// The notices about the agent of the scenario.
    pub fn notices(&mut self) -> TrialResult<Vec<Value>> {
        let listed = self.operator_reads("/v1/notices")?;
        let notices = listed.get("notices").and_then(Value::as_array).cloned();
        let mut notices = notices.unwrap_or_default();
        notices.retain(|notice| text(notice, "agent") == self.name);
        Ok(notices)
    }

    pub fn expect_notice(&mut self, cause: &str, words: &str) -> TrialResult<Value> {
        let notices = self.notices()?;
        let found = notices.iter().find(|notice| text(notice, "cause") == cause).cloned();
        let found = found.ok_or_else(|| {
            Failure::new(format!("no notice with the cause {cause} among {notices:?}"))
        })?;
        let said = text(&found, "text");
        self.tell(format!("notice, {cause}: {said}"));
        self.expect_text("the notice", &said, words)?;
        Ok(found)
    }

    pub fn make_gesture(&mut self, declares: &[&str]) -> TrialResult<String> {
        let body = json!({"session": self.operators_name(), "declares": declares});
        let made = self.operator_sends("/v1/gestures", &body)?;
        Ok(text(&made, "gesture_id"))
    }
}
