//! Giving what an operator names, without being asked.

use crate::api::Shared;
use crate::body::Body;
use crate::convert::grant_view;
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{GrantRequest, GrantResponse, GrantableScope};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::steps::conversation::standing_command;
use countersign_core::steps::grant_directly::Withheld;
use countersign_engine::{DirectGrant, DirectGrantResult, IfUseless};

pub(super) async fn give(
    State(daemon): Shared,
    Body(given): Body<GrantRequest>,
) -> Result<Json<GrantResponse>, Fault> {
    let coverage = coverage(&given)?;
    let scope = match given.scope {
        GrantableScope::Once => Scope::Once,
        GrantableScope::Session => Scope::Session,
        GrantableScope::Project => Scope::Project,
    };
    let confirmation = match given.confirm.as_ref().map(|typed| typed.as_str()) {
        None => Confirmation::Plain,
        Some("yes") => Confirmation::Confirmed,
        Some(_) => {
            return Err(Fault::invalid("`confirm` is not what was asked", "send `yes`"));
        }
    };
    let wanted = DirectGrant {
        session: given.session,
        coverage,
        scope,
        ends_at: given.seconds.map(|seconds| daemon.now() + seconds.span()),
        confirmation,
        if_useless: IfUseless::Refuse,
    };
    let done = daemon.run(move |engine| engine.grant_directly(&wanted)).await?;
    match done {
        DirectGrantResult::Granted(grant, reason) => {
            let id = grant.id;
            let known = daemon.run(move |engine| engine.read_grant(id)).await?;
            let grant = grant_view(&grant, &known, daemon.grant_terms()?);
            Ok(Json(GrantResponse { grant, reason: reason.map(str::to_owned) }))
        }
        DirectGrantResult::Withheld(why) => Err(Fault::invalid(&why, remedy(&why))),
        DirectGrantResult::Denied(why) => {
            let message = format!("the graph denies this command: {why}");
            Err(Fault::invalid(message, "change the graph's `commands` if you mean it"))
        }
        DirectGrantResult::NoSession => {
            let remedy = "a session begins with the agent's first call; name one that has begun";
            Err(Fault::invalid("there is no such session", remedy))
        }
    }
}

fn coverage(given: &GrantRequest) -> Result<Coverage, Fault> {
    match (&given.command, &given.action, &given.category, &given.cwd) {
        (Some(line), None, None, cwd) => {
            let analyse = |line: &str| countersign_commands::analyse(line, None);
            let Some(Coverage::Command { argv, action, .. }) =
                standing_command(line.as_str(), analyse)
            else {
                let remedy = "name one program and its words as they are; `<name>` is one of them";
                return Err(Fault::invalid("that is not one plain literal command", remedy));
            };
            let cwd = cwd.clone().map(String::from);
            Ok(Coverage::Command { argv, cwd, action })
        }
        (None, Some(action), None, None) => Ok(Coverage::Action(action.clone())),
        (None, None, Some(category), None) => Ok(Coverage::Category(category.clone())),
        (None, _, _, Some(_)) => {
            Err(Fault::invalid("only a command runs in a folder", "leave `cwd` out"))
        }
        _ => {
            let remedy = "name one of `command`, `action` and `category`";
            Err(Fault::invalid("it is not clear what is given", remedy))
        }
    }
}

const fn remedy(why: &Withheld) -> &'static str {
    match why {
        Withheld::NoGraph => "load a graph first",
        Withheld::Blocked(_) | Withheld::Unlisted(_) | Withheld::AlwaysAsk(_) => {
            "change the graph if you mean it"
        }
        Withheld::Channel(_) => "send it over the trusted channel",
        Withheld::Proposal(_) => "answer the proposal",
        Withheld::Critical(_) => "answer the call when it asks",
        Withheld::NotConfirmed(_) => "confirm it with `yes`, or give it for a session",
        Withheld::NotNamed(_) => "name a command, an action or a category",
    }
}
