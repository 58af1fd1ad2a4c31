//! Applies changes of grants, also to running calls that rest on them.

use crate::model::change::{GrantEnding, GrantUseEffect};
use crate::model::grant::{Grant, GrantState, GrantUse, Source};
use crate::model::ids::{CallId, GrantId};
use crate::model::names::Action;
use crate::model::time::Time;
use crate::model::words::Effect;
use crate::state::{CallRecord, CallState, ConsentStanding, State};
use std::collections::BTreeSet;

impl State {
    /// Spends the once-grants that a call reserved, or releases them if our own executor attests
    /// that nothing happened.
    pub(in crate::state) fn settle_reservations(&mut self, by: CallId, effect: Effect) {
        let Some(digest) = self.calls.get(&by).map(|record| record.call.digest) else { return };
        let after = match effect {
            Effect::Nothing => GrantState::Released { only: digest },
            Effect::Done | Effect::Failed | Effect::Forbidden | Effect::Unknown => {
                GrantState::Spent
            }
        };
        let reserved = |grant: &Grant| grant.state == GrantState::Reserved { by };
        self.grants.change(reserved, |grant| grant.state = after.clone());
    }

    pub(in crate::state) fn use_grant(
        &mut self,
        at: Time,
        id: GrantId,
        call: CallId,
        hold: GrantUseEffect,
    ) {
        if let Some(grant) = self.grants.get_mut(id) {
            grant.uses += 1;
            grant.used = Some(GrantUse { by: call, at });
            match hold {
                GrantUseEffect::Counted => {}
                GrantUseEffect::Reserved => grant.state = GrantState::Reserved { by: call },
                GrantUseEffect::Spent => grant.state = GrantState::Spent,
            }
        }
        self.close_plan(id);
    }

    /// Records that an action used an imported grant of everything for the first time.
    pub(in crate::state) fn add_first_use(&mut self, id: GrantId, action: &Action) {
        if let Some(grant) = self.grants.get_mut(id) {
            grant.first_uses.push(action.clone());
        }
    }

    pub(in crate::state) fn review_grant(&mut self, at: Time, id: GrantId) {
        if let Some(grant) = self.grants.get_mut(id) {
            grant.reviewed_at = at;
        }
    }

    pub(in crate::state) fn revoke_grant(&mut self, id: GrantId) {
        if let Some(grant) = self.grants.get_mut(id) {
            grant.state = GrantState::Revoked;
        }
        self.close_plan(id);
        self.withdraw_consent_of_users(id);
    }

    pub(in crate::state) fn end_grant(&mut self, id: GrantId, why: GrantEnding) {
        let state = match why {
            // The operator's turn took it back; it did not run out.
            GrantEnding::Reset => GrantState::Revoked,
            GrantEnding::Time | GrantEnding::RunOver | GrantEnding::ItemDeclined => {
                GrantState::Ended
            }
        };
        // A spent or revoked grant keeps its state; only running calls are affected, below.
        if let Some(grant) = self.grants.get_mut(id).filter(|grant| !grant.is_used_or_revoked()) {
            grant.state = state;
        }
        self.close_plan(id);
        match why {
            GrantEnding::RunOver | GrantEnding::Reset => self.withdraw_consent_of_users(id),
            // A call that started in time may finish; the call of a declined item never started.
            GrantEnding::Time | GrantEnding::ItemDeclined => {}
        }
    }

    /// Ends the plan when its last step is used or ended.
    fn close_plan(&mut self, step: GrantId) {
        let Some(grant) = self.grants.get(step).filter(|grant| grant.source == Source::Plan) else {
            return;
        };
        let session = grant.made_in.clone();
        let open = self.grants.iter().any(|other| {
            other.source == Source::Plan
                && other.made_in == session
                && other.state == GrantState::Live
        });
        if !open && let Some(session) = self.sessions.get_mut(&session) {
            session.accepted.clear();
        }
    }

    /// Withdraws the consent of the calls that rest on a grant. One that has ended counts too: what
    /// is nested in it may still run.
    pub(in crate::state) fn withdraw_consent_of_users(&mut self, grant: GrantId) {
        let users: Vec<_> = self
            .calls
            .values()
            .filter(|record| record.consent.grants.contains(&grant))
            .map(|record| record.call.id)
            .collect();
        for user in users {
            let consent = self.calls.get(&user).map(|record| &record.consent);
            let declared = consent.map(|consent| consent.find_declared(grant)).unwrap_or_default();
            match declared.is_empty() {
                true => self.withdraw_consent(user),
                false => self.withdraw_declared(user, grant, &declared),
            }
        }
    }

    /// Withdraws the consent for some declared actions of a call: what is nested for them, and what
    /// would be.
    fn withdraw_declared(&mut self, id: CallId, grant: GrantId, actions: &[Action]) {
        if let Some(record) = self.calls.get_mut(&id) {
            let consent = &mut record.consent;
            consent.actions.retain(|action| !actions.contains(action));
            consent.grants.retain(|own| *own != grant);
            consent.declared.retain(|item| item.grant != grant);
        }
        let rests = |inner: &&CallRecord| {
            inner.consent.parent == Some(id)
                && inner.decided.iter().any(|action| actions.contains(action))
        };
        let nested: Vec<_> = self.calls.values().filter(rests).map(|inner| inner.call.id).collect();
        nested.into_iter().for_each(|inner| self.withdraw_consent(inner));
    }

    /// Withdraws the consent of a call, if it runs, and of all running calls nested in it, even
    /// through calls that have ended meanwhile.
    pub(in crate::state) fn withdraw_consent(&mut self, id: CallId) {
        let (mut waiting, mut seen) = (vec![id], BTreeSet::new());
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            let runs = |record: &&CallRecord| record.state == CallState::Executing;
            if self.calls.get(&id).filter(runs).is_some()
                && let Some(record) = self.calls.get_mut(&id)
            {
                record.consent.standing = ConsentStanding::Withdrawn;
            }
            let nested = self.calls.values().filter(|inner| inner.consent.parent == Some(id));
            waiting.extend(nested.map(|inner| inner.call.id));
        }
    }
}
