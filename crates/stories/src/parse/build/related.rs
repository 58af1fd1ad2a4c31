//! Steps about deliveries, and about the sessions of sub-agents.

use super::{BuildResult, Fields};
use crate::case::StepKind;
use countersign_core::model::delivery::{Evidence, Extent};
use countersign_core::model::names::{Agent, SessionName, SurfaceName};

pub(super) fn build_delivery(fields: &Fields, name: String) -> BuildResult<StepKind> {
    Ok(StepKind::Deliver {
        name,
        how: fields.word("how", Evidence::from_word).unwrap_or(Evidence::Requested),
        extent: fields.word("shown", Extent::from_word).unwrap_or(Extent::Part),
        surface: fields.parse_optional("on", SurfaceName::parse)?,
    })
}

pub(super) fn build_sub_agent(fields: &Fields) -> BuildResult<StepKind> {
    Ok(StepKind::SubAgentOf {
        session: fields.parse_required("sub_agent_of", SessionName::parse)?,
        agent: fields.parse_optional("of_agent", Agent::parse)?,
    })
}
