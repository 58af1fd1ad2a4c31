//! Wrong input on every route of the OpenAPI documents: an error response, never a panic.

use crate::sample::{properties, resolve, sample};
use crate::test_server::TestServer;
use countersign_server::Plane;
use serde_json::{Value, json};

/// A route with a body.
pub struct PostRoute {
    pub plane: Plane,
    pub path: String,
    /// The path in the document, with `{id}`.
    template: String,
    schema: Value,
    document: Value,
}

impl PostRoute {
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for plane in [Plane::Agent, Plane::Operator] {
            let document: Value = serde_json::from_str(plane.document()).unwrap();
            for (path, methods) in document["paths"].as_object().unwrap() {
                let schema =
                    &methods["post"]["requestBody"]["content"]["application/json"]["schema"];
                if schema.is_null() {
                    assert!(methods["post"].is_null(), "{path} has an undocumented body");
                    continue;
                }
                let id = &methods["post"]["parameters"][0]["schema"];
                let template = path.clone();
                let path = match id.is_null() {
                    true => path.clone(),
                    false => path.replace("{id}", sample(&document, id).as_str().unwrap()),
                };
                let schema = resolve(&document, schema).clone();
                all.push(Self { plane, path, template, schema, document: document.clone() });
            }
        }
        assert!(all.len() > 25, "{}", all.len());
        all
    }

    fn operation(&self) -> &Value {
        &self.document["paths"][&self.template]["post"]
    }

    pub fn minimal_body(&self) -> Value {
        sample(&self.document, &self.schema)
    }

    /// Sends a body and returns the status and the code of the error.
    fn send_bad_body(&self, server: &TestServer, kind: &str, body: &[u8]) -> (u16, String) {
        let (status, text) = server.send_raw_to(self.plane, ("POST", &self.path), kind, body);
        let shown: String = String::from_utf8_lossy(body).chars().take(120).collect();
        assert!((400..500).contains(&status), "{} {shown}: {status} {text}", self.path);
        let response: Value = serde_json::from_str(&text).unwrap();
        let field = |name: &str| response["error"][name].as_str().unwrap().to_owned();
        for name in ["message", "remedy"] {
            assert!(!field(name).is_empty() && !field(name).contains('\n'), "{} {text}", self.path);
        }
        (status, field("code"))
    }
}

const JSON: &str = "application/json";

#[test]
fn malformed_bodies_are_refused_on_every_route() {
    let server = TestServer::open();
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20));
    for route in PostRoute::all() {
        for body in ["", "{", "[]", "null", "\"x\"", "7", "{}{}", "{\"a\":NaN}", &deep] {
            let found = route.send_bad_body(&server, JSON, body.as_bytes());
            assert_eq!(found, (400, "unreadable".to_owned()), "{}", route.path);
        }
        for bytes in [&b"{\"session\":\"\xff\xfe\"}"[..], b"\xef\xbb\xbf{}", b"{\"a\":\"\\ud800\"}"]
        {
            assert_eq!(route.send_bad_body(&server, JSON, bytes).0, 400, "{}", route.path);
        }
        assert_eq!(route.send_bad_body(&server, JSON, long.as_bytes()).0, 413, "{}", route.path);
        let whole = route.minimal_body().to_string();
        for kind in ["text/plain", "", "application/x-www-form-urlencoded", "multipart/form-data"] {
            let found = route.send_bad_body(&server, kind, whole.as_bytes());
            assert_eq!(found, (415, "not_json".to_owned()), "{}", route.path);
        }
    }
}

#[test]
fn unknown_and_duplicate_fields_are_refused_on_every_route() {
    let server = TestServer::open();
    for route in PostRoute::all() {
        let mut more = route.minimal_body();
        more["surprise"] = json!(1);
        let found = route.send_bad_body(&server, JSON, more.to_string().as_bytes());
        assert_eq!(found, (400, "unreadable".to_owned()), "{}", route.path);
        let whole = route.minimal_body().to_string();
        for (name, _) in properties(&route.schema) {
            let twice = whole.replacen('{', &format!("{{\"{name}\":null,\"{name}\":null,"), 1);
            let twice = twice.replace(",}", "}");
            assert_eq!(
                route.send_bad_body(&server, JSON, twice.as_bytes()).0,
                400,
                "{}",
                route.path
            );
        }
    }
}

#[test]
fn wrong_types_and_missing_fields_are_refused_on_every_route() {
    let server = TestServer::open();
    for route in PostRoute::all() {
        for (name, schema) in properties(&route.schema) {
            // The arguments of a tool can be any JSON.
            if is_any(schema) {
                continue;
            }
            let schema = resolve(&route.document, schema);
            // A list of nulls: derived readers take a list in place of an object.
            for wrong in [
                json!({"a": {"b": 1}}),
                json!([[["x"]]]),
                json!([null, null]),
                json!(-1.5),
                json!("\u{202e}"),
            ] {
                let mut body = route.minimal_body();
                body[name] = wrong.clone();
                let is_text = wrong.is_string() && is_free_text(&route.document, schema);
                if !is_text {
                    let found = route.send_bad_body(&server, JSON, body.to_string().as_bytes());
                    assert_eq!(found.1, "unreadable", "{} {name} {wrong}", route.path);
                }
            }
        }
        let required = route.schema["required"].as_array().cloned().unwrap_or_default();
        for name in required {
            let mut body = route.minimal_body();
            body.as_object_mut().unwrap().remove(name.as_str().unwrap());
            let found = route.send_bad_body(&server, JSON, body.to_string().as_bytes());
            assert_eq!(found.1, "unreadable", "{} without {name}", route.path);
        }
    }
}

fn is_any(schema: &Value) -> bool {
    schema["$ref"] == "#/components/schemas/Json"
}

/// A text that may contain any character.
fn is_free_text(document: &Value, schema: &Value) -> bool {
    let forms = schema["anyOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
    forms.iter().any(|form| {
        let form = resolve(document, form);
        form["pattern"].is_null() && form["maxLength"].is_u64()
    })
}

/// Every text and every list has a documented bound, and the server enforces it.
#[test]
fn texts_and_lists_over_their_bound_are_refused() {
    let server = TestServer::open();
    let mut tried = 0;
    for route in PostRoute::all() {
        // Only the size of the body bounds a field that can be any JSON.
        let bounded = properties(&route.schema).filter(|(_, schema)| !is_any(schema));
        for (name, schema) in bounded {
            for form in alternatives(&route.document, schema) {
                let wrong = match (form["maxLength"].as_u64(), form["maxItems"].as_u64()) {
                    (Some(most), _) => json!("x".repeat(most as usize + 1)),
                    (_, Some(most)) => {
                        let one = sample(&route.document, &form["items"]);
                        Value::Array(vec![one; most as usize + 1])
                    }
                    (None, None) => {
                        let open = form["type"] == "string"
                            && form["pattern"].is_null()
                            && form["enum"].is_null()
                            && form["const"].is_null();
                        let list = form["type"] == "array";
                        assert!(!open && !list, "{} {name} has no bound: {form}", route.path);
                        continue;
                    }
                };
                let mut body = route.minimal_body();
                body[name] = wrong;
                let found = route.send_bad_body(&server, JSON, body.to_string().as_bytes());
                assert_eq!(found.1, "unreadable", "{} {name}", route.path);
                tried += 1;
            }
        }
    }
    assert!(tried > 40, "{tried}");
}

fn alternatives(document: &Value, schema: &Value) -> Vec<Value> {
    let schema = resolve(document, schema);
    let several = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    match several {
        Some(several) => several.iter().map(|form| resolve(document, form).clone()).collect(),
        None => vec![schema.clone()],
    }
}

#[test]
fn malformed_ids_and_queries_are_refused() {
    let server = TestServer::open();
    for plane in [Plane::Agent, Plane::Operator] {
        let document: Value = serde_json::from_str(plane.document()).unwrap();
        for (path, methods) in document["paths"].as_object().unwrap() {
            if methods["get"].is_null() {
                continue;
            }
            let get = |path: &str| server.send_raw_to(plane, ("GET", path), JSON, b"").0;
            let parameters = methods["get"]["parameters"].as_array().cloned().unwrap_or_default();
            if path.contains("{id}") {
                for id in ["x", "op_1", "%00", "req_%F0%9F", "..%2f", "%ff"] {
                    let found = get(&format!("{}?session=s1", path.replace("{id}", id)));
                    assert!(matches!(found, 400 | 404), "{path} {id}: {found}");
                }
            }
            let queried = parameters.iter().any(|parameter| parameter["in"] == "query");
            if queried {
                for query in ["surprise=1", "session=%ff", "from=x", "session=a&session=b"] {
                    let id = "c000007019b8d627a8070008000000000";
                    let found = get(&format!("{}?{query}", path.replace("{id}", id)));
                    assert!(matches!(found, 400 | 404), "{path} {query}: {found}");
                }
            }
        }
    }
}

#[test]
fn numbers_in_queries_and_headers_keep_their_documented_bounds() {
    let server = TestServer::open();
    let mut tried = 0;
    for plane in [Plane::Agent, Plane::Operator] {
        let document: Value = serde_json::from_str(plane.document()).unwrap();
        for (path, methods) in document["paths"].as_object().unwrap() {
            let parameters = methods["get"]["parameters"].as_array().cloned().unwrap_or_default();
            let required = parameters.iter().filter(|one| one["in"] == "query");
            let required = required.filter(|one| one["required"] == true).map(|one| {
                let value = sample(&document, &one["schema"]);
                format!("{}={}", one["name"].as_str().unwrap(), value.as_str().unwrap())
            });
            let required: Vec<_> = required.collect();
            for parameter in &parameters {
                let (schema, name) = (&parameter["schema"], parameter["name"].as_str().unwrap());
                if schema["type"] != "integer" {
                    continue;
                }
                let most = schema["maximum"].as_u64().unwrap();
                let wrong = [(most + 1).to_string(), u64::MAX.to_string(), "-1".into(), "x".into()];
                for wrong in wrong {
                    let (query, header) = match parameter["in"].as_str() {
                        Some("query") => (format!("{name}={wrong}"), String::new()),
                        _ => (String::new(), format!("\r\n{name}: {wrong}")),
                    };
                    let query = [&required[..], &[query]].concat().join("&");
                    let path = format!("{path}?{query}");
                    let kind = format!("{JSON}{header}");
                    let (status, text) = server.send_raw_to(plane, ("GET", &path), &kind, b"");
                    assert_eq!(status, 400, "{path} {header} {text}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried >= 16, "{tried}");
}

/// No schema allows any value.
#[test]
fn every_response_and_every_body_has_a_named_schema() {
    for plane in [Plane::Agent, Plane::Operator] {
        let document: Value = serde_json::from_str(plane.document()).unwrap();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let content = operation["responses"]["200"]["content"].as_object().unwrap();
                let streamed = content.contains_key("text/event-stream");
                let json = content.get(JSON).unwrap_or(&Value::Null);
                let named = json["schema"]["$ref"].is_string();
                assert!(named || streamed || path.ends_with("openapi.json"), "{method} {path}");
                assert!(!operation["summary"].as_str().unwrap().is_empty(), "{method} {path}");
            }
        }
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            assert!(schema.is_object() && !schema.as_object().unwrap().is_empty(), "{name}");
        }
    }
}

/// The server refuses exactly the fields that the document reserves for adapters.
#[test]
fn the_document_names_every_field_that_only_an_adapter_may_send() {
    let server = TestServer::open();
    let mut named = 0;
    for route in PostRoute::all().iter().filter(|route| route.plane == Plane::Agent) {
        let said = route.operation()["description"].as_str().unwrap_or_default();
        let (_, said) = said.rsplit_once("Only an adapter may send").unwrap_or_default();
        for (name, schema) in properties(&route.schema) {
            let mut body = route.minimal_body();
            body[name] = sample(&route.document, schema);
            let body = body.to_string();
            let (status, text) =
                server.send_raw_to(Plane::Agent, ("POST", &route.path), JSON, body.as_bytes());
            let is_refused =
                status == 403 && text.contains("is an observation; only an adapter may send it");
            let is_named = said.contains(&format!("`{name}`"));
            assert_eq!(is_named, is_refused, "{} {name}: {text}", route.path);
            named += usize::from(is_named);
        }
    }
    assert_eq!(named, 7);
}

/// The documented errors for missing and wrong credentials and for rate limits.
#[test]
fn every_route_documents_its_credentials_and_their_errors() {
    for (plane, names) in [
        (Plane::Agent, &["agent", "adapter", "application"][..]),
        (Plane::Operator, &["operator"][..]),
    ] {
        let document: Value = serde_json::from_str(plane.document()).unwrap();
        let schemes = document["components"]["securitySchemes"].as_object().unwrap();
        assert_eq!(schemes.len(), names.len());
        assert!(names.iter().all(|name| schemes.contains_key(*name)));
        for scheme in schemes.values() {
            assert_eq!((&scheme["type"], &scheme["scheme"]), (&json!("http"), &json!("bearer")));
            assert!(scheme["description"].as_str().unwrap().contains("socket"));
        }
        let any = names.iter().map(|name| json!({*name: []})).collect();
        assert_eq!(document["security"], Value::Array(any));
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                assert!(operation["security"].is_null(), "{method} {path} is no exception");
                for (status, name, header) in [
                    ("401", "Unauthenticated", Some("WWW-Authenticate")),
                    ("403", "Forbidden", None),
                    ("429", "TooManyRequests", Some("Retry-After")),
                ] {
                    let answer = resolve(&document, &operation["responses"][status]);
                    let whole = &document["components"]["responses"][name];
                    assert_eq!(answer, whole, "{method} {path} {status}");
                    let headers = answer["headers"].as_object();
                    let found = headers.and_then(|headers| headers.keys().next());
                    assert_eq!(found.map(String::as_str), header, "{status}");
                }
            }
        }
    }
}

/// What an agent can do at all. A route that approves, grants or revokes must never be added here.
/// The gestures are closed to agents: `applications` shows who opens a gesture, and for what.
const AGENT_ROUTES: [&str; 35] = [
    "get /v1/application",
    "get /v1/ask-ahead/{id}",
    "get /v1/consent",
    "get /v1/ledger",
    "get /v1/openapi.json",
    "get /v1/operations/{id}",
    "get /v1/operations/{id}/call",
    "get /v1/proposals/{id}/state",
    "get /v1/runs/{id}",
    "post /v1/application/gestures",
    "post /v1/application/gestures/{id}/close",
    "post /v1/ask-ahead",
    "post /v1/ask-ahead/{id}/cancel",
    "post /v1/ask-ahead/{id}/wait",
    "post /v1/check",
    "post /v1/end-session",
    "post /v1/hand-over",
    "post /v1/ledger",
    "post /v1/moved",
    "post /v1/operations/{id}/cancel",
    "post /v1/operations/{id}/outcome",
    "post /v1/operations/{id}/retry",
    "post /v1/operations/{id}/wait",
    "post /v1/plans",
    "post /v1/program-decline",
    "post /v1/program-outcome",
    "post /v1/proposals",
    "post /v1/proposals/{id}/apply",
    "post /v1/runs",
    "post /v1/runs/{id}/cancel",
    "post /v1/runs/{id}/end",
    "post /v1/runs/{id}/reattach",
    "post /v1/runs/{id}/wait",
    "post /v1/sub-agent",
    "post /v1/turns",
];

#[test]
fn agents_reach_these_routes_and_no_other() {
    let document: Value = serde_json::from_str(Plane::Agent.document()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let methods = |(path, methods): (&String, &Value)| {
        let methods = methods.as_object().unwrap().keys();
        methods.map(|method| format!("{method} {path}")).collect::<Vec<_>>()
    };
    let mut routes: Vec<String> = paths.flat_map(methods).collect();
    routes.sort();
    assert_eq!(routes, AGENT_ROUTES);
}
