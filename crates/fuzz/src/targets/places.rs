//! What must hold for every problem that is reported: a place in the text, words, and a bound.

use crate::target::Traits;
use countersign_graph::{Problem, Problems};

/// Problems of a file as they would be printed.
pub(super) fn refused(problems: &Problems, traits: &mut Traits) -> Result<(), String> {
    if problems.list().is_empty() {
        return Err("it is refused without a problem".to_owned());
    }
    if problems.lines().count() != problems.list().len() {
        return Err("the printed problems are not as many as there are".to_owned());
    }
    within(problems.list(), problems.text(), traits)
}

pub(super) fn within(list: &[Problem], text: &str, traits: &mut Traits) -> Result<(), String> {
    for problem in list {
        traits.say("problem", &problem.message);
        let Problem { span, message, help } = problem;
        if span.slice(text).is_none() {
            return Err(format!("a place is not in the text: {span:?} of `{message}`"));
        }
        if message.is_empty() || help.is_empty() {
            return Err(format!("a problem says nothing: `{message}` / `{help}`"));
        }
    }
    Ok(())
}
