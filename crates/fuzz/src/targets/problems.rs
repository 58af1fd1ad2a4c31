//! Properties of every reported problem: a position in the text, a message and a help text.

use crate::target::Features;
use countersign_graph::{Problem, Problems};

/// A refused file has problems, and each of them is printed.
pub(super) fn check_refusal(problems: &Problems, features: &mut Features) -> Result<(), String> {
    if problems.list().is_empty() {
        return Err("refused without a problem".to_owned());
    }
    if problems.lines().count() != problems.list().len() {
        return Err("not every problem is printed".to_owned());
    }
    check_problems(problems.list(), problems.text(), features)
}

pub(super) fn check_problems(
    list: &[Problem],
    text: &str,
    features: &mut Features,
) -> Result<(), String> {
    for problem in list {
        features.add_message("problem", &problem.message);
        let Problem { span, message, help } = problem;
        if span.slice(text).is_none() {
            return Err(format!("a position is not in the text: {span:?} of `{message}`"));
        }
        if message.is_empty() || help.is_empty() {
            return Err(format!("a problem has no message or help: `{message}` / `{help}`"));
        }
    }
    Ok(())
}
