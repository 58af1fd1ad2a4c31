//! What a grant covers, in words that a person uses.

use crate::CardContext;
use crate::categories::describe_category;
use crate::coverage::{any_of, describe_bounds, name_deed};
use crate::headline::describe_call;
use crate::text::DisplayText;
use countersign_core::model::call::Call;
use countersign_core::model::command::render_argv;
use countersign_core::model::grant::{Coverage, Grant};
use countersign_core::model::request::Subject;
use countersign_core::model::time::Time;
use countersign_core::state::State;

/// What a grant covers. `state` holds the request that it answered, and the call, if they are known.
pub fn describe_grant(grant: &Grant, state: &State) -> DisplayText {
    let within = grant.within.as_deref().unwrap_or_default();
    let text = match &grant.coverage {
        Coverage::Digest { action, .. } => match find_call(grant, state) {
            Some(call) => match &call.command {
                Some(command) => format!("this exact call: `{command}`"),
                None => {
                    let context = CardContext { graph: None, state, now: Time::from_micros(0) };
                    format!("this exact call: {}", describe_call(context, call, action))
                }
            },
            None => format!("one exact call: {}", name_deed(action)),
        },
        Coverage::Command { argv, .. } => format!("the command `{}`", render_argv(argv)),
        Coverage::Head { words, .. } => {
            let verb = words.last().map_or("", String::as_str);
            format!("any `{} …`{}", render_argv(words), describe_bounds(verb, within))
        }
        Coverage::Action(action) => {
            format!("{}{}", any_of(action), describe_bounds(action.verb(), within))
        }
        Coverage::Category(category) => describe_category(category.as_str()),
        Coverage::Run { carries, .. } => {
            let deeds: Vec<String> = carries.iter().map(any_of).collect();
            match deeds.is_empty() {
                true => "a task, which carries nothing by itself".to_owned(),
                false => format!("in its run: {}", deeds.join(", ")),
            }
        }
        Coverage::Class { workflow, .. } => format!("starts of {workflow}"),
        Coverage::Everything => "everything up to moderate risk".to_owned(),
        Coverage::Step { action, .. } => format!("a step of the plan: {}", name_deed(action)),
        Coverage::Program(program) => {
            format!("the program {} ({})", program.path, program.short_hash())
        }
    };
    DisplayText::from_untrusted(&text)
}

/// The call that a grant was given for.
fn find_call<'a>(grant: &Grant, state: &'a State) -> Option<&'a Call> {
    let request = state.requests.get(&grant.request?)?;
    match &request.subject {
        Subject::Calls(calls) => {
            calls.first().and_then(|id| state.calls.get(id)).map(|record| &*record.call)
        }
        _ => None,
    }
}
