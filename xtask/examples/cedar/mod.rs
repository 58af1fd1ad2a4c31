//! The same tiers as Cedar would hold them: actions in groups, and one policy for each group.
//!
//! Entities, policies and requests are made beforehand; only the judgement is measured.

use crate::decide::{World, WorldResult};
use crate::over;
use cedar_policy::{
    Authorizer, Context, Entities, Entity, EntityId, EntityTypeName, EntityUid, PolicySet, Request,
};
use countersign_core::model::words::Tier;
use std::collections::HashSet;
use std::hint::black_box;
use std::str::FromStr;
use xtask::bench::{decide as suite, rounds::Variant};

const POLICIES: &str = r#"
    @tier("autonomous")
    permit (principal, action in Action::"autonomous", resource);
    @tier("requires_approval")
    permit (principal, action in Action::"requires_approval", resource)
        when { context.confidence >= 85 };
    @tier("blocked")
    forbid (principal, action in Action::"blocked", resource);
"#;

pub fn variant(world: &World) -> WorldResult<Variant<'static>> {
    let policies = PolicySet::from_str(POLICIES)?;
    let entities = Entities::from_entities(entities(world)?, None)?;
    let mut requests = Vec::new();
    for call in world.mixed()? {
        for action in &call.actions {
            requests.push(request(call.agent.as_str(), action.as_str())?);
        }
    }
    let authorizer = Authorizer::new();
    Ok(over(suite::CEDAR, (requests, 1), move |request| {
        black_box(authorizer.is_authorized(black_box(request), &policies, &entities));
    }))
}

fn entities(world: &World) -> WorldResult<Vec<Entity>> {
    let mut entities = Vec::new();
    for tier in Tier::ALL {
        entities.push(Entity::new_no_attrs(uid("Action", tier.word())?, HashSet::new()));
    }
    for (action, tier) in world.tiers() {
        let group = HashSet::from([uid("Action", tier.word())?]);
        entities.push(Entity::new_no_attrs(uid("Action", &action)?, group));
    }
    Ok(entities)
}

fn request(agent: &str, action: &str) -> WorldResult<Request> {
    let context = Context::from_json_value(serde_json::json!({ "confidence": 50 }), None)?;
    let (principal, resource) = (uid("Agent", agent)?, uid("Resource", "ana@example.org")?);
    Ok(Request::new(principal, uid("Action", action)?, resource, context, None)?)
}

fn uid(kind: &str, name: &str) -> WorldResult<EntityUid> {
    Ok(EntityUid::from_type_name_and_id(EntityTypeName::from_str(kind)?, EntityId::new(name)))
}
