//! Commands of the operator: they call the daemon over the operator's socket and print its response.
//!
//! Those that act for an agent are in `agent_commands`.

mod agents;
mod answer;
mod find;
mod gesture;
mod grants;
mod notices;
mod overview;
mod pause;
mod proposals;
mod revoke;
mod say;
mod session;

pub(crate) use agents::{AgentCommand, agent};
pub(crate) use answer::{
    ApproveArgs, DeclineArgs, approve, decline, describe_answer, shown_digest,
};
pub(crate) use find::{find_grant, find_run};
pub(crate) use gesture::{GestureCommand, gesture};
pub(crate) use grants::{GrantsArgs, describe_coverage, grants, is_program, list_grants};
pub(crate) use notices::{NoticesArgs, NoticesCommand, notices};
pub(crate) use overview::{
    LsArgs, ShowArgs, StatusArgs, card_page, ls, report_shown, show, status,
};
pub(crate) use pause::{PauseArgs, pause, resume};
pub(crate) use proposals::{ProposalsArgs, proposals};
pub(crate) use revoke::{RevokeArgs, describe_revocation, revoke};
pub(crate) use say::{SayArgs, say, say_words};
pub(crate) use session::{SessionCommand, session};

use countersign_api::OutOfBounds;
use countersign_console::{BOLD, Failure, Page};

/// The name of this surface in the record.
pub(crate) const SURFACE: &str = "command-line";

/// Adds one line for each field that has a value.
pub(crate) fn add_fields<const N: usize>(page: &mut Page, fields: [(&str, String); N]) {
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        page.text("  ").styled(BOLD, &format!("{name:<10}")).text(&value).end();
    }
}

/// Converts a value of the command line to a bounded field of a request.
pub(crate) fn fit_bounds<V, T: TryFrom<V, Error = OutOfBounds>>(
    name: &str,
    value: V,
) -> Result<T, Failure> {
    let failure =
        |error| Failure::new(format!("the {name} is out of bounds: {error}"), "give a shorter one");
    value.try_into().map_err(failure)
}
