//! Notices: what Countersign tells an operator without a question.

use crate::{OperationState, Timestamp};
use countersign_card::{CardContext, DisplayText, describe_call};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::call::Words;
use countersign_core::model::command::Command;
use countersign_core::model::ids::{CallId, NoticeId};
use countersign_core::model::names::{Action, Agent, SessionName};
use countersign_core::model::notice::{Cause, Notice, Urgency};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The notices that nobody has acknowledged yet, the oldest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NoticesResponse {
    pub notices: Vec<NoticeView>,
}

/// Something that happened, without a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoticeView {
    pub id: NoticeId,
    pub cause: Cause,
    pub urgency: Urgency,
    /// None for a notice about the graph.
    pub agent: Option<Agent>,
    pub session: Option<SessionName>,
    /// None for a notice about more actions than one notice lists.
    pub action: Option<Action>,
    pub digest: Option<Digest>,
    /// The last call that the notice is about.
    pub call: Option<CallId>,
    /// What that call did or tried to do, in words; none if there is no call, or it is erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<DisplayText>,
    /// What that call acted on: paths, recipients, hosts, or the command that it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<DisplayText>,
    /// What became of that call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<OperationState>,
    /// Why it is reported.
    pub text: String,
    /// How often it happened.
    pub count: u32,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
}

impl From<&Notice> for NoticeView {
    fn from(notice: &Notice) -> Self {
        let notice = notice.clone();
        Self {
            id: notice.id,
            cause: notice.cause,
            urgency: notice.cause.urgency(),
            agent: notice.agent,
            session: notice.session.map(|session| session.to_name()),
            action: notice.action,
            digest: notice.digest,
            call: notice.call,
            headline: None,
            target: Vec::new(),
            done: None,
            text: notice.text,
            count: notice.count,
            first_at: Timestamp(notice.first_at),
            last_at: Timestamp(notice.last_at),
        }
    }
}

impl NoticeView {
    /// Adds what became of the call that the notice is about.
    pub fn with_call(mut self, context: CardContext<'_>) -> Self {
        let record = self.call.and_then(|id| context.state.calls.get(&id));
        let Some(record) = record else { return self };
        let call = &record.call;
        self.done = Some(record.state.into());
        if call.words == Words::Erased {
            return self;
        }
        let action = self.action.as_ref().or(record.decided.first());
        self.headline = action.map(|action| describe_call(context, call, action));
        let command = call.command.as_ref().map(Command::to_string);
        let targets = call.named_targets().iter().take(MAX_TARGETS);
        self.target = match command {
            Some(command) => vec![DisplayText::from_untrusted(&command)],
            None => targets.map(|target| DisplayText::from_untrusted(target)).collect(),
        };
        self
    }

    /// What happened, what became of it, and why it is reported, in one line.
    pub fn describe(&self) -> String {
        let done = self.done.map(|done| format!(" ({done})")).unwrap_or_default();
        match &self.headline {
            Some(headline) => format!("{headline}{done}: {}", self.text),
            None => self.text.clone(),
        }
    }
}

/// How many targets of a call a notice lists: it is read at a glance.
const MAX_TARGETS: usize = 8;

/// The notice that was acknowledged.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AcknowledgeResponse {
    pub acknowledged: NoticeId,
}
