//! The documents that describe the planes: OpenAPI 3.1, made from the list of their routes.

mod credentials;

use crate::api::{Api, Plane, Route, Says, Schemas, Shape};
use crate::fault::{Fault, Refusal};
use crate::{agent, enrol, events, operator};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use countersign_api::ErrorBody;
use schemars::generate::SchemaSettings;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

const SCHEMAS: &str = "/components/schemas";

impl Plane {
    pub(crate) fn api(self) -> Api {
        match self {
            Self::Agent => agent::routes(Api::new()),
            Self::Operator => enrol::routes(events::routes(operator::routes(Api::new()))),
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Agent => "Countersign, the agents' plane",
            Self::Operator => "Countersign, the operator's plane",
        }
    }

    const fn about(self) -> &'static str {
        match self {
            Self::Agent => {
                "For agents and adapters: ask, wait, report. Nothing here approves anything."
            }
            Self::Operator => "For the operator: what waits, answers, grants, and what happens.",
        }
    }

    /// The document, as JSON text.
    pub fn document(self) -> &'static str {
        static AGENT: LazyLock<String> = LazyLock::new(|| text(Plane::Agent));
        static OPERATOR: LazyLock<String> = LazyLock::new(|| text(Plane::Operator));
        match self {
            Self::Agent => &AGENT,
            Self::Operator => &OPERATOR,
        }
    }
}

fn text(plane: Plane) -> String {
    format!("{:#}\n", document(plane))
}

fn schemas() -> Schemas {
    let settings = || SchemaSettings::draft2020_12().with(|s| s.definitions_path = SCHEMAS.into());
    Schemas {
        taken: settings().for_deserialize().into_generator(),
        said: settings().for_serialize().into_generator(),
    }
}

fn document(plane: Plane) -> Value {
    let mut schemas = schemas();
    let api = plane.api();
    let mut paths = Map::new();
    for route in &api.routes {
        let shape = route.shape(&mut schemas);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(methods) = path.as_object_mut() {
            methods.insert(route.method.to_owned(), operation(route, shape));
        }
    }
    let wrong = schemas.said.subschema_for::<ErrorBody>();
    let responses =
        Refusal::ALL.map(|refusal| (refusal.words().0.to_owned(), refused(refusal, &wrong)));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": plane.title(),
            "description": plane.about(),
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
        },
        "paths": paths,
        "security": credentials::required(plane),
        "components": {
            "securitySchemes": credentials::schemes(plane),
            "schemas": merged(schemas),
            "responses": Map::from_iter(responses),
        },
    })
}

/// What is described both on its way in and on its way out is the same either way.
fn merged(mut schemas: Schemas) -> Map<String, Value> {
    let mut all = schemas.taken.take_definitions(true);
    all.extend(schemas.said.take_definitions(true));
    all
}

fn operation(route: &Route, shape: Shape) -> Value {
    let mut operation = Map::new();
    operation.insert("operationId".into(), json!(named(route)));
    operation.insert("summary".into(), json!(route.summary));
    let more = [route.about.map(ToOwned::to_owned), credentials::observed(route)];
    let more: Vec<_> = more.into_iter().flatten().collect();
    if !more.is_empty() {
        operation.insert("description".into(), json!(more.join(" ")));
    }
    if !shape.parameters.is_empty() {
        operation.insert("parameters".into(), Value::Array(shape.parameters));
    }
    if let Some(body) = shape.body {
        let content = json!({"application/json": {"schema": body}});
        operation.insert("requestBody".into(), json!({"required": true, "content": content}));
    }
    let mut responses = Map::new();
    if let Some((kind, schema)) = shape.said {
        let content = json!({kind: {"schema": schema}});
        responses.insert("200".into(), json!({"description": "Done", "content": content}));
    }
    for refusal in shape.refusals {
        let place = format!("#/components/responses/{}", refusal.words().0);
        responses.insert(refusal.status().to_string(), json!({"$ref": place}));
    }
    operation.insert("responses".into(), Value::Object(responses));
    Value::Object(operation)
}

/// `POST /v1/operations/{id}/retry` is `post_operations_id_retry`.
fn named(route: &Route) -> String {
    let words = route.path.split(['/', '{', '}', '-', '.']).filter(|word| !word.is_empty());
    let words = words.filter(|word| *word != "v1");
    std::iter::once(route.method).chain(words).collect::<Vec<_>>().join("_")
}

fn refused(refusal: Refusal, wrong: &Schema) -> Value {
    let content = json!({"application/json": {"schema": wrong}});
    let mut said = json!({"description": refusal.words().1, "content": content});
    if let (Some(headers), Some(said)) = (credentials::headers(refusal), said.as_object_mut()) {
        said.insert("headers".into(), headers);
    }
    said
}

/// This document.
pub(crate) struct Document(&'static str);

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

impl Says for Document {
    fn says(_: &mut Schemas) -> (&'static str, Schema) {
        ("application/json", json_schema!({"type": "object", "description": "This document"}))
    }
}

pub(crate) async fn of_agents() -> Result<Document, Fault> {
    Ok(Document(Plane::Agent.document()))
}

pub(crate) async fn of_operators() -> Result<Document, Fault> {
    Ok(Document(Plane::Operator.document()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_for_two_things() {
        for plane in [Plane::Agent, Plane::Operator] {
            let mut schemas = schemas();
            for route in &plane.api().routes {
                route.shape(&mut schemas);
            }
            let (taken, said) = (schemas.taken.definitions(), schemas.said.definitions());
            for (name, schema) in taken {
                assert!(said.get(name).is_none_or(|other| other == schema), "{name}");
            }
            for name in taken.keys().chain(said.keys()) {
                assert!(!name.ends_with(|c: char| c.is_ascii_digit()), "two types are `{name}`");
            }
        }
    }
}
