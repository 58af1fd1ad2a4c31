//! The routes of a plane. One list makes both the router and the document that describes it, and
//! what a route takes and answers is read from its handler: neither can say what the other does
//! not do.

use crate::Daemon;
use crate::body::{Body, Id, Known, Queried};
use crate::fault::{Fault, Refusal};
use crate::peers::Caller;
use axum::extract::State;
use axum::handler::Handler;
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Json, Router};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::future::Future;
use std::sync::Arc;

pub(crate) type Shared = State<Arc<Daemon>>;
pub(crate) type By = Extension<Caller>;

/// Who speaks on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    Agent,
    Operator,
}

/// Routes, as they are listed.
pub(crate) struct Api {
    pub(crate) router: Router<Arc<Daemon>>,
    pub(crate) routes: Vec<Route>,
}

pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    /// What the summary has no room for.
    pub(crate) about: Option<&'static str>,
    /// Fields that only an adapter can fill in.
    pub(crate) observed: &'static [&'static str],
    /// What it refuses beyond what its parts refuse.
    refusals: Vec<Refusal>,
    shape: fn(&mut Schemas) -> Shape,
}

/// One for what comes in, one for what goes out: a default makes a field optional only on its way
/// in.
pub(crate) struct Schemas {
    pub(crate) taken: SchemaGenerator,
    pub(crate) said: SchemaGenerator,
}

/// What a route takes and answers.
#[derive(Default)]
pub(crate) struct Shape {
    pub(crate) parameters: Vec<Value>,
    pub(crate) body: Option<Schema>,
    pub(crate) said: Option<(&'static str, Schema)>,
    pub(crate) refusals: Vec<Refusal>,
}

impl Api {
    pub(crate) fn new() -> Self {
        Self { router: Router::new(), routes: Vec::new() }
    }

    pub(crate) fn get<H, T, D>(self, path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<Daemon>> + Shaped<D>,
        T: 'static,
    {
        self.with("get", path, (summary, H::shape), get(handler))
    }

    pub(crate) fn post<H, T, D>(self, path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<Daemon>> + Shaped<D>,
        T: 'static,
    {
        self.with("post", path, (summary, H::shape), post(handler))
    }

    fn with(
        mut self,
        method: &'static str,
        path: &'static str,
        (summary, shape): (&'static str, fn(&mut Schemas) -> Shape),
        handler: MethodRouter<Arc<Daemon>>,
    ) -> Self {
        self.router = self.router.route(path, handler);
        let (about, observed, refusals) = (None, &[][..], Vec::new());
        self.routes.push(Route { method, path, summary, about, observed, refusals, shape });
        self
    }

    /// What the summary of the route just listed has no room for.
    pub(crate) fn about(mut self, words: &'static str) -> Self {
        if let Some(route) = self.routes.last_mut() {
            route.about = Some(words);
        }
        self
    }

    /// Fields of the route just listed that only an adapter can fill in.
    pub(crate) fn observed(mut self, fields: &'static [&'static str]) -> Self {
        if let Some(route) = self.routes.last_mut() {
            route.observed = fields;
        }
        self
    }

    /// What the route just listed refuses, beyond what its parts do.
    pub(crate) fn refusing(mut self, refusals: &[Refusal]) -> Self {
        if let Some(route) = self.routes.last_mut() {
            route.refusals.extend(refusals);
        }
        self
    }
}

impl Route {
    pub(crate) fn shape(&self, schemas: &mut Schemas) -> Shape {
        let mut shape = (self.shape)(schemas);
        shape.refusals.extend(&self.refusals);
        shape.refusals.extend(Refusal::EVERYWHERE);
        shape.refusals.sort();
        shape.refusals.dedup();
        shape
    }
}

/// A handler whose parts and answer can be described.
pub(crate) trait Shaped<D> {
    fn shape(schemas: &mut Schemas) -> Shape;
}

/// A part of a request that a handler takes.
pub(crate) trait Takes {
    fn takes(_shape: &mut Shape, _schemas: &mut Schemas) {}
}

/// What a handler answers.
pub(crate) trait Says {
    fn says(schemas: &mut Schemas) -> (&'static str, Schema);
}

macro_rules! shaped {
    ($($part:ident),*) => {
        impl<F, Fut, A, $($part),*> Shaped<(A, $($part,)*)> for F
        where
            F: Fn($($part),*) -> Fut,
            Fut: Future<Output = Result<A, Fault>>,
            A: Says,
            $($part: Takes),*
        {
            fn shape(schemas: &mut Schemas) -> Shape {
                let mut shape = Shape::default();
                $($part::takes(&mut shape, schemas);)*
                shape.said = Some(A::says(schemas));
                shape
            }
        }
    };
}
shaped!();
shaped!(P1);
shaped!(P1, P2);
shaped!(P1, P2, P3);
shaped!(P1, P2, P3, P4);

impl Takes for Shared {}
impl Takes for By {}

impl<T: JsonSchema> Takes for Body<T> {
    fn takes(shape: &mut Shape, schemas: &mut Schemas) {
        shape.body = Some(schemas.taken.subschema_for::<T>());
        shape.refusals.extend([Refusal::Unreadable, Refusal::TooLarge, Refusal::NotJson]);
    }
}

impl<K: Known> Takes for Id<K> {
    fn takes(shape: &mut Shape, schemas: &mut Schemas) {
        shape.parameters.push(json!({
            "name": "id", "in": "path", "required": true,
            "schema": schemas.taken.subschema_for::<K>(),
        }));
        shape.refusals.extend([Refusal::Unreadable, Refusal::Unknown]);
    }
}

impl<T: JsonSchema> Takes for Queried<T> {
    fn takes(shape: &mut Shape, schemas: &mut Schemas) {
        let whole = T::json_schema(&mut schemas.taken).to_value();
        let required = whole.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let fields = whole.get("properties").and_then(Value::as_object).cloned();
        for (name, mut schema) in fields.unwrap_or_default() {
            let required = required.contains(&json!(name));
            let description = schema.as_object_mut().and_then(|s| s.remove("description"));
            let mut parameter = Map::new();
            parameter.insert("name".into(), json!(name));
            parameter.insert("in".into(), json!("query"));
            parameter.insert("required".into(), json!(required));
            parameter.extend(description.map(|words| ("description".to_owned(), words)));
            parameter.insert("schema".into(), not_null(schema));
            shape.parameters.push(Value::Object(parameter));
        }
        shape.refusals.push(Refusal::Unreadable);
    }
}

/// What is left out of a query is missing, and never null.
fn not_null(mut schema: Value) -> Value {
    let Some(fields) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
    fields.remove("default");
    let any = fields.get("anyOf").and_then(Value::as_array);
    let only = any.and_then(|any| match any.as_slice() {
        [only, null] if null.get("type") == Some(&json!("null")) => Some(only.clone()),
        _ => None,
    });
    only.unwrap_or(schema)
}

impl<T: JsonSchema> Says for Json<T> {
    fn says(schemas: &mut Schemas) -> (&'static str, Schema) {
        ("application/json", schemas.said.subschema_for::<T>())
    }
}
