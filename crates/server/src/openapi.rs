//! Generates the OpenAPI 3.1 document of each plane from its list of routes.

mod credentials;

use crate::error::{ApiError, ApiErrorKind};
use crate::plane::Plane;
use crate::routes::{Api, DescribeResponse, ResponseSchema, Route, RouteSchema, Schemas};
use crate::{agent, agent_tokens, dashboard, events, operator};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use countersign_api::ErrorBody;
use countersign_api::paths::OPENAPI;
use schemars::generate::SchemaSettings;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

const SCHEMAS: &str = "/components/schemas";

impl Plane {
    pub(crate) fn api(self) -> Api {
        let with_document = match self {
            Self::Agent => Api::new().get(OPENAPI, "Returns this document", agent_document),
            Self::Operator => Api::new().get(OPENAPI, "Returns this document", operator_document),
        };
        match self {
            Self::Agent => agent::add_routes(with_document),
            Self::Operator => {
                let api = events::add_routes(operator::add_routes(with_document));
                dashboard::add_routes(agent_tokens::add_routes(api))
            }
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Agent => "Countersign, the agents' plane",
            Self::Operator => "Countersign, the operator's plane",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Agent => {
                "For agents and adapters: check calls, wait for answers, report results. No route approves anything."
            }
            Self::Operator => "For the operator: open requests, answers, grants and events.",
        }
    }

    /// The document, as JSON text.
    pub fn document(self) -> &'static str {
        static AGENT: LazyLock<String> = LazyLock::new(|| generate_text(Plane::Agent));
        static OPERATOR: LazyLock<String> = LazyLock::new(|| generate_text(Plane::Operator));
        match self {
            Self::Agent => &AGENT,
            Self::Operator => &OPERATOR,
        }
    }
}

fn generate_text(plane: Plane) -> String {
    format!("{:#}\n", generate_document(plane))
}

fn new_schemas() -> Schemas {
    let settings = || SchemaSettings::draft2020_12().with(|s| s.definitions_path = SCHEMAS.into());
    Schemas {
        input: settings().for_deserialize().into_generator(),
        output: settings().for_serialize().into_generator(),
    }
}

fn generate_document(plane: Plane) -> Value {
    let mut schemas = new_schemas();
    let api = plane.api();
    let mut paths = Map::new();
    for route in &api.routes {
        let schema = route.schema(&mut schemas);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(methods) = path.as_object_mut() {
            methods.insert(route.method.to_owned(), describe_operation(route, schema));
        }
    }
    let error_body = schemas.output.subschema_for::<ErrorBody>();
    let responses =
        ApiErrorKind::ALL.map(|kind| (kind.name().to_owned(), describe_error(kind, &error_body)));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": plane.title(),
            "description": plane.description(),
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
        },
        "paths": paths,
        "security": credentials::required_schemes(plane),
        "components": {
            "securitySchemes": credentials::security_schemes(plane),
            "schemas": merge_schemas(schemas),
            "responses": Map::from_iter(responses),
        },
    })
}

/// A type that occurs in input and output has the same schema in both.
fn merge_schemas(mut schemas: Schemas) -> Map<String, Value> {
    let mut all = schemas.input.take_definitions(true);
    all.extend(schemas.output.take_definitions(true));
    all
}

fn describe_operation(route: &Route, schema: RouteSchema) -> Value {
    let mut operation = Map::new();
    operation.insert("operationId".into(), json!(operation_id(route)));
    operation.insert("summary".into(), json!(route.summary));
    let adapter_fields = credentials::describe_adapter_fields(route);
    let texts = [route.description.map(ToOwned::to_owned), adapter_fields];
    let texts: Vec<_> = texts.into_iter().flatten().collect();
    if !texts.is_empty() {
        operation.insert("description".into(), json!(texts.join(" ")));
    }
    if !schema.parameters.is_empty() {
        operation.insert("parameters".into(), Value::Array(schema.parameters));
    }
    if let Some(body) = schema.body {
        let content = json!({"application/json": {"schema": body}});
        operation.insert("requestBody".into(), json!({"required": true, "content": content}));
    }
    let mut responses = Map::new();
    if let Some(ResponseSchema { content_type, schema }) = schema.response {
        let content = json!({content_type: {"schema": schema}});
        responses.insert("200".into(), json!({"description": "Success", "content": content}));
    }
    for kind in schema.errors {
        let reference = format!("#/components/responses/{}", kind.name());
        responses.insert(kind.status().to_string(), json!({"$ref": reference}));
    }
    operation.insert("responses".into(), Value::Object(responses));
    Value::Object(operation)
}

/// `POST /v1/operations/{id}/retry` is `post_operations_id_retry`.
fn operation_id(route: &Route) -> String {
    let words = route.path.split(['/', '{', '}', '-', '.']).filter(|word| !word.is_empty());
    let words = words.filter(|word| *word != "v1");
    std::iter::once(route.method).chain(words).collect::<Vec<_>>().join("_")
}

fn describe_error(kind: ApiErrorKind, error_body: &Schema) -> Value {
    let content = json!({"application/json": {"schema": error_body}});
    let mut response = json!({"description": kind.description(), "content": content});
    if let (Some(headers), Some(fields)) = (credentials::headers(kind), response.as_object_mut()) {
        fields.insert("headers".into(), headers);
    }
    response
}

/// The OpenAPI document as a response.
pub(crate) struct OpenApiDocument(&'static str);

impl IntoResponse for OpenApiDocument {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

impl DescribeResponse for OpenApiDocument {
    fn describe_response(_: &mut Schemas) -> ResponseSchema {
        let schema = json_schema!({"type": "object", "description": "This document"});
        ResponseSchema { content_type: "application/json", schema }
    }
}

pub(crate) async fn agent_document() -> Result<OpenApiDocument, ApiError> {
    Ok(OpenApiDocument(Plane::Agent.document()))
}

pub(crate) async fn operator_document() -> Result<OpenApiDocument, ApiError> {
    Ok(OpenApiDocument(Plane::Operator.document()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_types_share_a_name() {
        for plane in [Plane::Agent, Plane::Operator] {
            let mut schemas = new_schemas();
            for route in &plane.api().routes {
                route.schema(&mut schemas);
            }
            let (input, output) = (schemas.input.definitions(), schemas.output.definitions());
            for (name, schema) in input {
                assert!(output.get(name).is_none_or(|other| other == schema), "{name}");
            }
            for name in input.keys().chain(output.keys()) {
                assert!(!name.ends_with(|c: char| c.is_ascii_digit()), "two types are `{name}`");
            }
        }
    }
}
