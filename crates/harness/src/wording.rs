//! The sentences that a model or its user reads in a program.

use countersign_api::{Answerable, CheckResponse, QuestionView};

/// Why a call is denied, for the model: the sentence, with the operator's words, and the reason's id.
pub fn describe_denial(response: &CheckResponse) -> String {
    format!(
        "Countersign does not allow this call: {} ({}). Do not try another way to the same effect; \
         tell the user.",
        response.sentence, response.reason
    )
}

/// What the program's own prompt shows.
pub fn describe_question(question: &QuestionView) -> String {
    let mut lines = vec!["Countersign asks:".to_owned()];
    lines.extend(shorten(&question.lines));
    lines.push("Yes allows exactly this call, once.".to_owned());
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
    lines.extend(question.map(|question| shorten(&question.lines)).unwrap_or_default());
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
