//! Calls of coding agents' programs: the hooks of one program ask about one call several times, show
//! its question themselves, and report afterwards what became of it.
//!
//! Only an adapter gets here. Nothing is approved by what a program says; where the program's own
//! prompt was the surface, the answer that was given there is put on record.
//!
//! See docs/decisions/0086-questions-in-a-programs-own-prompt.md.
//! See docs/decisions/0123-what-a-yes-in-a-program-gives.md.

use super::calls::describe_check;
use super::program_question::program_surface;
use crate::{AgentError, Host, NamedCall};
use countersign_api::{
    CheckResponse, CheckStatus, ProgramCall, PromptUse, RecordedState, ReportResponse, Sighting,
};
use countersign_commands::narrow_arguments;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::CallDraft;
use countersign_core::model::ids::CallId;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom};
use countersign_core::model::words::{Choice, Initiator, Outcome, Reason};
use countersign_core::state::CallState;
use countersign_core::steps::settle::{AnswerReply, Refusal};
use countersign_engine::{AgentReport, AnswerTarget, SessionOwner};
use std::time::Duration;

impl Host {
    /// Decides a call that a program's hook asks about, or answers with the decision that stands.
    pub async fn check_program_call(
        &self,
        mut draft: CallDraft,
        program_call: ProgramCall,
        wait: Duration,
    ) -> Result<CheckResponse, AgentError> {
        let owner = SessionOwner { session: draft.session.clone(), agent: draft.agent.clone() };
        let tool = draft.tool.clone().ok_or(AgentError::NoTool)?;
        let calls = self.program_calls();
        draft.run = draft.run.or_else(|| calls.task(&owner.session));
        if let (None, Some(gesture)) = (draft.observed.gesture, calls.gesture(&owner.session)) {
            // The user's own slash command: the calls that follow it are the user's.
            draft.observed.gesture = Some(gesture);
            draft.observed.initiator = Initiator::Operator;
        }
        let (id, args) = (program_call.id.map(String::from), draft.args.clone());
        let named = NamedCall { id: id.as_deref(), tool: &tool, args: &args };
        let earlier = match program_call.sighting {
            Sighting::First => None,
            Sighting::Again => calls.find_again(&owner.session, named),
        };
        let mut response = match earlier {
            Some(call) => self.repeat_decision(call, &owner, wait).await?,
            None => self.check_and_wait(draft, wait, describe_check).await?,
        };
        if let (None, Some(call)) = (earlier, response.operation_id) {
            calls.add(&owner.session, named, call);
        }
        if let Some(narrowed) = &response.narrowed {
            response.input = narrow_arguments(&args, narrowed);
        }
        if let (None, Some(call), Some(args)) = (earlier, response.operation_id, &response.input) {
            // The program may ask again about the input that it got.
            calls.add(&owner.session, NamedCall { args, ..named }, call);
        }
        if let (CheckStatus::Allowed, Some(narrowed)) = (response.status, &response.narrowed)
            && calls.is_first_narrowing(&owner.session, narrowed.kind)
        {
            response.announcements.push(narrowed.kind.announcement().to_owned());
        }
        if let (CheckStatus::Pending, Some(call)) = (response.status, response.operation_id) {
            let question = self.describe_program_question(call).await?;
            if let (PromptUse::Shown, Some(yes)) =
                (program_call.prompt, question.as_ref().and_then(|question| question.yes.as_ref()))
            {
                calls.set_shown_yes(call, yes);
            }
            response.question = question.map(|question| Box::new(question.view));
        }
        Ok(response)
    }

    /// A program's tool has ended. If its question was still open, the operator has answered it in
    /// the program's own prompt: otherwise the program would not have run the tool.
    pub async fn report_program_outcome(
        &self,
        owner: SessionOwner,
        named: NamedCall<'_>,
        report: AgentReport,
    ) -> Result<ReportResponse, AgentError> {
        let (calls, session) = (self.program_calls(), &owner.session);
        let call = calls.find(session, named).or_else(|| calls.find_by_id(session, named.id?));
        let call = call.ok_or(AgentError::Unknown("operation"))?;
        let state = self.wait_for_answer(call, &owner, Duration::ZERO).await?;
        if let (Some(CallState::Parked), Some(yes)) = (state, calls.find_shown_yes(call)) {
            self.record_answer_in_program(call, yes, &owner).await?;
        }
        if calls.is_taken_over(call) {
            // The gateway has put the end on record itself.
            return Ok(ReportResponse { operation_id: call, state: RecordedState::Recorded });
        }
        self.report_outcome(call, owner, report).await
    }

    /// What was decided about a call that its program asks about again. If it is running, the reason
    /// says whether the operator was asked about it, or a rule allowed it.
    async fn repeat_decision(
        &self,
        call: CallId,
        owner: &SessionOwner,
        wait: Duration,
    ) -> Result<CheckResponse, AgentError> {
        if self.wait_for_answer(call, owner, wait).await? != Some(CallState::Executing) {
            let retried = self.retry(call, owner.clone()).await?;
            // Another hook of the program may have started it since.
            if retried.decision().reason != Reason::Running {
                return Ok(describe_check(retried));
            }
        }
        let state = self.run(move |engine| engine.read_call(call)).await?;
        let record = state.calls.get(&call);
        let was_asked = record.is_some_and(|record| !record.requests.is_empty());
        Ok(CheckResponse {
            status: CheckStatus::Allowed,
            outcome: Outcome::Allow,
            reason: if was_asked { Reason::Granted } else { Reason::Running },
            sentence: "the call was allowed when the program first asked about it".to_owned(),
            operation_id: Some(call),
            note: String::new(),
            announcements: Vec::new(),
            narrowed: None,
            parent_token: None,
            input: None,
            question: None,
        })
    }

    /// Puts a no in the program's own prompt on record, with its note, so that the card closes
    /// everywhere. It counts only for a question that the program shows, and only while it is open.
    pub async fn record_decline_in_program(
        &self,
        owner: SessionOwner,
        id: &str,
        note: String,
    ) -> Result<ReportResponse, AgentError> {
        let calls = self.program_calls();
        let call = calls.find_by_id(&owner.session, id);
        let shown = call.and_then(|call| Some((call, calls.find_shown_yes(call)?)));
        let (call, yes) = shown.ok_or(AgentError::Unknown("operation"))?;
        if self.wait_for_answer(call, &owner, Duration::ZERO).await? == Some(CallState::Parked) {
            let no = replace_choices(yes, |_| Choice::Decline);
            self.answer_in_program(call, no, note).await?;
        }
        Ok(ReportResponse { operation_id: call, state: RecordedState::Recorded })
    }

    /// Puts the yes that was given in the program's own prompt on record, as the prompt worded it, and
    /// starts the call. If the task has ended meanwhile, the yes is for this call.
    async fn record_answer_in_program(
        &self,
        call: CallId,
        yes: AnswerChoices,
        owner: &SessionOwner,
    ) -> Result<(), AgentError> {
        let reply = self.answer_in_program(call, yes.clone(), String::new()).await?;
        if reply == AnswerReply::Refused(Refusal::NotOffered) {
            let once = replace_choices(yes, |choice| match choice {
                Choice::Run => Choice::Once,
                other => other,
            });
            self.answer_in_program(call, once, String::new()).await?;
        }
        self.retry(call, owner.clone()).await?;
        Ok(())
    }

    async fn answer_in_program(
        &self,
        call: CallId,
        say: AnswerChoices,
        note: String,
    ) -> Result<AnswerReply, AgentError> {
        let answer = Answer {
            say,
            note,
            proof: AnswerProof::KeyPress,
            lasts: None,
            covers: None,
            from: AnswerFrom::ProgramPrompt(program_surface()?),
        };
        let answered = self.run(move |engine| engine.answer(AnswerTarget::Call(call), &answer));
        let reply = answered.await?.reply;
        if let AnswerReply::Refused(Refusal::NotCounted(why)) = reply {
            return Err(AgentError::NotAnswered(why.to_string()));
        }
        Ok(reply)
    }
}

fn replace_choices(choices: AnswerChoices, replace: impl Fn(Choice) -> Choice) -> AnswerChoices {
    match choices {
        AnswerChoices::One(choice) => AnswerChoices::One(replace(choice)),
        AnswerChoices::Items(items) => AnswerChoices::Items(
            items.into_iter().map(|(action, choice)| (action, replace(choice))).collect(),
        ),
    }
}
