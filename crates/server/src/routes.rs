//! The routes of a plane.
//!
//! One list builds both the router and the OpenAPI document, and the document's schemas come from
//! the handlers' types. So the document cannot differ from what the server does.
//!
//! See docs/decisions/0025-routes-and-openapi.md.

use crate::Daemon;
use crate::error::{ApiError, ApiErrorKind};
use crate::extract::{JsonBody, PathId, PathParam, QueryParams};
use crate::peers::{Caller, Peer};
use axum::extract::State;
use axum::handler::Handler;
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Json, Router};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::future::Future;
use std::sync::Arc;

pub(crate) type ServerState = State<Arc<Daemon>>;
pub(crate) type CallerExtension = Extension<Caller>;
pub(crate) type PeerExtension = Extension<Peer>;

pub(crate) struct Api {
    pub(crate) router: Router<Arc<Daemon>>,
    pub(crate) routes: Vec<Route>,
}

pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: Option<&'static str>,
    /// Fields that only an adapter may send.
    pub(crate) adapter_fields: &'static [&'static str],
    /// Errors of the handler itself. The errors of its extractors are not in this list.
    errors: Vec<ApiErrorKind>,
    describe: fn(&mut Schemas) -> RouteSchema,
}

/// Input and output have separate generators: a default makes a field optional only in the input.
pub(crate) struct Schemas {
    pub(crate) input: SchemaGenerator,
    pub(crate) output: SchemaGenerator,
}

/// What a route takes and returns.
#[derive(Default)]
pub(crate) struct RouteSchema {
    pub(crate) parameters: Vec<Value>,
    pub(crate) body: Option<Schema>,
    pub(crate) response: Option<ResponseSchema>,
    pub(crate) errors: Vec<ApiErrorKind>,
}

pub(crate) struct ResponseSchema {
    pub(crate) content_type: &'static str,
    pub(crate) schema: Schema,
}

impl Api {
    pub(crate) fn new() -> Self {
        Self { router: Router::new(), routes: Vec::new() }
    }

    pub(crate) fn get<H, T, D>(self, path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<Daemon>> + DescribeHandler<D>,
        T: 'static,
    {
        self.route(Route::new::<H, D>("get", path, summary), get(handler))
    }

    pub(crate) fn post<H, T, D>(self, path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<Daemon>> + DescribeHandler<D>,
        T: 'static,
    {
        self.route(Route::new::<H, D>("post", path, summary), post(handler))
    }

    fn route(mut self, route: Route, handler: MethodRouter<Arc<Daemon>>) -> Self {
        self.router = self.router.route(route.path, handler);
        self.routes.push(route);
        self
    }

    /// Adds a description to the last route.
    pub(crate) fn description(mut self, text: &'static str) -> Self {
        if let Some(route) = self.routes.last_mut() {
            route.description = Some(text);
        }
        self
    }

    /// Names the fields of the last route that only an adapter may send.
    pub(crate) fn adapter_fields(mut self, fields: &'static [&'static str]) -> Self {
        if let Some(route) = self.routes.last_mut() {
            route.adapter_fields = fields;
        }
        self
    }

    /// Adds errors that the handler of the last route returns.
    pub(crate) fn errors(mut self, errors: &[ApiErrorKind]) -> Self {
        if let Some(route) = self.routes.last_mut() {
            route.errors.extend(errors);
        }
        self
    }
}

impl Route {
    fn new<H: DescribeHandler<D>, D>(
        method: &'static str,
        path: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            method,
            path,
            summary,
            description: None,
            adapter_fields: &[],
            errors: Vec::new(),
            describe: H::describe,
        }
    }

    pub(crate) fn schema(&self, schemas: &mut Schemas) -> RouteSchema {
        let mut route = (self.describe)(schemas);
        route.errors.extend(&self.errors);
        route.errors.extend(ApiErrorKind::ANY_ROUTE);
        route.errors.sort();
        route.errors.dedup();
        route
    }
}

/// A handler whose extractors and response describe themselves.
pub(crate) trait DescribeHandler<D> {
    fn describe(schemas: &mut Schemas) -> RouteSchema;
}

/// An extractor of a handler.
pub(crate) trait DescribeInput {
    fn describe_input(_route: &mut RouteSchema, _schemas: &mut Schemas) {}
}

pub(crate) trait DescribeResponse {
    fn describe_response(schemas: &mut Schemas) -> ResponseSchema;
}

macro_rules! describe_handlers {
    ($($part:ident),*) => {
        impl<F, Fut, R, $($part),*> DescribeHandler<(R, $($part,)*)> for F
        where
            F: Fn($($part),*) -> Fut,
            Fut: Future<Output = Result<R, ApiError>>,
            R: DescribeResponse,
            $($part: DescribeInput),*
        {
            fn describe(schemas: &mut Schemas) -> RouteSchema {
                let mut route = RouteSchema::default();
                $($part::describe_input(&mut route, schemas);)*
                route.response = Some(R::describe_response(schemas));
                route
            }
        }
    };
}
describe_handlers!();
describe_handlers!(P1);
describe_handlers!(P1, P2);
describe_handlers!(P1, P2, P3);
describe_handlers!(P1, P2, P3, P4);
describe_handlers!(P1, P2, P3, P4, P5);

impl DescribeInput for ServerState {}
impl DescribeInput for CallerExtension {}
impl DescribeInput for PeerExtension {}

impl<T: JsonSchema> DescribeInput for JsonBody<T> {
    fn describe_input(route: &mut RouteSchema, schemas: &mut Schemas) {
        use ApiErrorKind::{NotJson, TooLarge, Unreadable};
        route.body = Some(schemas.input.subschema_for::<T>());
        route.errors.extend([Unreadable, TooLarge, NotJson]);
    }
}

impl<T: PathId> DescribeInput for PathParam<T> {
    fn describe_input(route: &mut RouteSchema, schemas: &mut Schemas) {
        route.parameters.push(json!({
            "name": "id", "in": "path", "required": true,
            "schema": schemas.input.subschema_for::<T>(),
        }));
        route.errors.extend([ApiErrorKind::Unreadable, ApiErrorKind::Unknown]);
    }
}

impl<T: JsonSchema> DescribeInput for QueryParams<T> {
    fn describe_input(route: &mut RouteSchema, schemas: &mut Schemas) {
        let object = T::json_schema(&mut schemas.input).to_value();
        let required = object.get("required").and_then(Value::as_array).cloned();
        let required = required.unwrap_or_default();
        let fields = object.get("properties").and_then(Value::as_object).cloned();
        for (name, mut schema) in fields.unwrap_or_default() {
            let is_required = required.contains(&json!(name));
            let description = schema.as_object_mut().and_then(|s| s.remove("description"));
            let mut parameter = Map::new();
            parameter.insert("name".into(), json!(name));
            parameter.insert("in".into(), json!("query"));
            parameter.insert("required".into(), json!(is_required));
            parameter.extend(description.map(|text| ("description".to_owned(), text)));
            parameter.insert("schema".into(), remove_null(schema));
            route.parameters.push(Value::Object(parameter));
        }
        route.errors.push(ApiErrorKind::Unreadable);
    }
}

/// A query parameter can be left out, but it cannot be null.
fn remove_null(mut schema: Value) -> Value {
    let Some(fields) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
    fields.remove("default");
    let any_of = fields.get("anyOf").and_then(Value::as_array);
    let only = any_of.and_then(|any_of| match any_of.as_slice() {
        [only, null] if null.get("type") == Some(&json!("null")) => Some(only.clone()),
        _ => None,
    });
    only.unwrap_or(schema)
}

impl<T: JsonSchema> DescribeResponse for Json<T> {
    fn describe_response(schemas: &mut Schemas) -> ResponseSchema {
        let schema = schemas.output.subschema_for::<T>();
        ResponseSchema { content_type: "application/json", schema }
    }
}
