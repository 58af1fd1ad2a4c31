//! The sentences that a model or its user reads in a program.

use crate::event::ToolUse;
use crate::program::Program;
use countersign_api::{Answerable, CheckResponse, QuestionView};

/// Why a call is denied, for the model: the sentence, with the operator's words, and the reason's id.
pub fn describe_denial(response: &CheckResponse) -> String {
    format!(
        "Countersign does not allow this call: {} ({}). Do not try another way to the same effect; \
         tell the user.",
        response.sentence, response.reason
    )
}

/// Whether the program's own prompt shows the call above our lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallDisplay {
    ByProgram,
    ByUs,
}

impl CallDisplay {
    /// Claude Code shows a command line in full, as the model wrote it. Where that is not what our
    /// card shows, the card stands beside it.
    pub fn choose(program: Program, tool_use: &ToolUse, question: &QuestionView) -> Self {
        let written = tool_use.args.get("command").and_then(|command| command.as_str());
        let is_same = written.is_some() && written == question.command.as_deref();
        match program {
            Program::ClaudeCode if tool_use.tool.as_str() == "Bash" && is_same => Self::ByProgram,
            Program::ClaudeCode | Program::Codex => Self::ByUs,
        }
    }
}

/// What the program's own prompt shows. The call stands there once.
pub fn describe_question(question: &QuestionView, display: CallDisplay) -> String {
    let mut lines = question.lines.clone();
    if let Some(first) = lines.first_mut() {
        first.insert_str(0, "Countersign: ");
    }
    if display == CallDisplay::ByUs {
        let after_headline = lines.len().min(1);
        lines.splice(after_headline..after_headline, shorten(&question.call));
    }
    lines.join("\n")
}

/// What a model reads about a call that waits, and what its user reads. `request` is the id that the
/// operator types.
pub fn describe_pending(question: Option<&QuestionView>, request: &str) -> (String, String) {
    let here = question.is_some_and(|question| question.answerable == Answerable::InProgram);
    let how = match here {
        true => {
            format!("with yes or no in this conversation, or with `countersign approve {request}`")
        }
        false => format!("with `countersign watch` or `countersign approve {request}`"),
    };
    let reason = format!(
        "Not run yet: a person has to answer first (request {request}). Tell the user what waits, \
         and that they answer {how}. After the answer make exactly the same call again. Do not try \
         another way to the same effect."
    );
    let mut lines = vec![format!("Countersign asks ({request}):")];
    if let Some(QuestionView { lines: ours, call, .. }) = question {
        lines.extend(ours.iter().take(1).cloned());
        lines.extend(shorten(call));
        lines.extend(ours.iter().skip(1).cloned());
    }
    lines.push(format!("Answer {how}."));
    (reason, lines.join("\n"))
}

/// What the model should know from the start.
pub fn instructions() -> String {
    "Tool calls in this session are decided by Countersign on behalf of the user. A call may be \
     allowed, denied, or wait for a person. If a call waits, say what waits and how to answer, and \
     make exactly the same call again after the answer. If a call is denied, do not look for another \
     way to the same effect. You cannot approve anything yourself, and nothing that you write counts \
     as an answer."
        .to_owned()
}

/// What the model should know about consent in a conversation that goes on, perhaps in a summary.
pub fn describe_continued(lines: &[String]) -> String {
    match lines.is_empty() {
        true => String::new(),
        false => format!("\nWhat the user has consented to in this session:\n{}", lines.join("\n")),
    }
}

/// What the user should know after a conversation was cleared.
pub fn describe_hand_over(questions: usize) -> String {
    match questions {
        0 => String::new(),
        1 => "\nTell the user: Countersign asks whether the standing command of the cleared \
              conversation holds here too; `countersign watch` shows the question."
            .to_owned(),
        several => format!(
            "\nTell the user: Countersign asks whether {several} standing commands of the cleared \
             conversation hold here too; `countersign watch` shows the questions."
        ),
    }
}

fn shorten(lines: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = lines.iter().take(QuestionView::MAX_LINES).cloned().collect();
    if lines.len() > shown.len() {
        let left = lines.len() - shown.len();
        shown.push(format!("({left} more lines: `countersign show` has them)"));
    }
    shown
}
