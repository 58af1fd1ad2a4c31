//! Wrong input on every route that the documents name: a typed answer, never a breakdown.

use crate::house::House;
use crate::sample::{properties, resolved, sample};
use countersign_server::Plane;
use serde_json::{Value, json};

/// A route that takes a body, with one that fits.
struct Target {
    plane: Plane,
    path: String,
    /// As the document writes it.
    route: String,
    schema: Value,
    document: Value,
}

impl Target {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for plane in [Plane::Agent, Plane::Operator] {
            let document: Value = serde_json::from_str(plane.document()).unwrap();
            for (path, methods) in document["paths"].as_object().unwrap() {
                let schema =
                    &methods["post"]["requestBody"]["content"]["application/json"]["schema"];
                if schema.is_null() {
                    assert!(methods["post"].is_null(), "{path} takes a body that nobody described");
                    continue;
                }
                let id = &methods["post"]["parameters"][0]["schema"];
                let route = path.clone();
                let path = match id.is_null() {
                    true => path.clone(),
                    false => path.replace("{id}", sample(&document, id).as_str().unwrap()),
                };
                let schema = resolved(&document, schema).clone();
                all.push(Self { plane, path, route, schema, document: document.clone() });
            }
        }
        assert!(all.len() > 25, "{}", all.len());
        all
    }

    fn operation(&self) -> &Value {
        &self.document["paths"][&self.route]["post"]
    }

    fn whole(&self) -> Value {
        sample(&self.document, &self.schema)
    }

    /// Sends it, and looks at how it is refused.
    fn refused(&self, house: &House, kind: &str, body: &[u8]) -> (u16, String) {
        let (status, text) = house.raw_on(self.plane, ("POST", &self.path), kind, body);
        let shown: String = String::from_utf8_lossy(body).chars().take(120).collect();
        assert!((400..500).contains(&status), "{} {shown}: {status} {text}", self.path);
        let said: Value = serde_json::from_str(&text).unwrap();
        let word = |name: &str| said["error"][name].as_str().unwrap().to_owned();
        for name in ["message", "remedy"] {
            assert!(!word(name).is_empty() && !word(name).contains('\n'), "{} {text}", self.path);
        }
        (status, word("code"))
    }
}

const JSON: &str = "application/json";

#[test]
fn what_is_no_body_at_all_is_refused_on_every_route() {
    let house = House::open();
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20));
    for target in Target::all() {
        for body in ["", "{", "[]", "null", "\"x\"", "7", "{}{}", "{\"a\":NaN}", &deep] {
            let found = target.refused(&house, JSON, body.as_bytes());
            assert_eq!(found, (400, "unreadable".to_owned()), "{}", target.path);
        }
        for bytes in [&b"{\"session\":\"\xff\xfe\"}"[..], b"\xef\xbb\xbf{}", b"{\"a\":\"\\ud800\"}"]
        {
            assert_eq!(target.refused(&house, JSON, bytes).0, 400, "{}", target.path);
        }
        assert_eq!(target.refused(&house, JSON, long.as_bytes()).0, 413, "{}", target.path);
        let whole = target.whole().to_string();
        for kind in ["text/plain", "", "application/x-www-form-urlencoded", "multipart/form-data"] {
            let found = target.refused(&house, kind, whole.as_bytes());
            assert_eq!(found, (415, "not_json".to_owned()), "{}", target.path);
        }
    }
}

#[test]
fn fields_that_nobody_knows_or_that_come_twice_are_refused_on_every_route() {
    let house = House::open();
    for target in Target::all() {
        let mut more = target.whole();
        more["surprise"] = json!(1);
        let found = target.refused(&house, JSON, more.to_string().as_bytes());
        assert_eq!(found, (400, "unreadable".to_owned()), "{}", target.path);
        let whole = target.whole().to_string();
        for (name, _) in properties(&target.schema) {
            let twice = whole.replacen('{', &format!("{{\"{name}\":null,\"{name}\":null,"), 1);
            let twice = twice.replace(",}", "}");
            assert_eq!(target.refused(&house, JSON, twice.as_bytes()).0, 400, "{}", target.path);
        }
    }
}

#[test]
fn wrong_types_and_missing_fields_are_refused_on_every_route() {
    let house = House::open();
    for target in Target::all() {
        for (name, schema) in properties(&target.schema) {
            // Arguments are whatever the tool takes.
            if is_any(schema) {
                continue;
            }
            let schema = resolved(&target.document, schema);
            for wrong in [json!({"a": {"b": 1}}), json!([[["x"]]]), json!(-1.5), json!("\u{202e}")]
            {
                let mut body = target.whole();
                body[name] = wrong.clone();
                let is_text = wrong.is_string() && is_free_text(&target.document, schema);
                if !is_text {
                    let found = target.refused(&house, JSON, body.to_string().as_bytes());
                    assert_eq!(found.1, "unreadable", "{} {name} {wrong}", target.path);
                }
            }
        }
        let required = target.schema["required"].as_array().cloned().unwrap_or_default();
        for name in required {
            let mut body = target.whole();
            body.as_object_mut().unwrap().remove(name.as_str().unwrap());
            let found = target.refused(&house, JSON, body.to_string().as_bytes());
            assert_eq!(found.1, "unreadable", "{} without {name}", target.path);
        }
    }
}

fn is_any(schema: &Value) -> bool {
    schema["$ref"] == "#/components/schemas/Json"
}

/// A text in which any character may stand.
fn is_free_text(document: &Value, schema: &Value) -> bool {
    let forms = schema["anyOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
    forms.iter().any(|form| {
        let form = resolved(document, form);
        form["pattern"].is_null() && form["maxLength"].is_u64()
    })
}

/// Every text and every list has its bound in the document, and the server keeps it.
#[test]
fn what_is_too_long_is_refused_wherever_there_is_a_text_or_a_list() {
    let house = House::open();
    let mut tried = 0;
    for target in Target::all() {
        // What is any JSON is bounded by the body.
        let bounded = properties(&target.schema).filter(|(_, schema)| !is_any(schema));
        for (name, schema) in bounded {
            for form in forms(&target.document, schema) {
                let wrong = match (form["maxLength"].as_u64(), form["maxItems"].as_u64()) {
                    (Some(most), _) => json!("x".repeat(most as usize + 1)),
                    (_, Some(most)) => {
                        let one = sample(&target.document, &form["items"]);
                        Value::Array(vec![one; most as usize + 1])
                    }
                    (None, None) => {
                        let open = form["type"] == "string"
                            && form["pattern"].is_null()
                            && form["enum"].is_null()
                            && form["const"].is_null();
                        let list = form["type"] == "array";
                        assert!(!open && !list, "{} {name} has no bound: {form}", target.path);
                        continue;
                    }
                };
                let mut body = target.whole();
                body[name] = wrong;
                let found = target.refused(&house, JSON, body.to_string().as_bytes());
                assert_eq!(found.1, "unreadable", "{} {name}", target.path);
                tried += 1;
            }
        }
    }
    assert!(tried > 40, "{tried}");
}

fn forms(document: &Value, schema: &Value) -> Vec<Value> {
    let schema = resolved(document, schema);
    let several = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    match several {
        Some(several) => several.iter().map(|form| resolved(document, form).clone()).collect(),
        None => vec![schema.clone()],
    }
}

#[test]
fn ids_that_are_none_and_queries_that_mean_nothing_are_refused() {
    let house = House::open();
    for plane in [Plane::Agent, Plane::Operator] {
        let document: Value = serde_json::from_str(plane.document()).unwrap();
        for (path, methods) in document["paths"].as_object().unwrap() {
            if methods["get"].is_null() {
                continue;
            }
            let ask = |path: &str| house.raw_on(plane, ("GET", path), JSON, b"").0;
            let parameters = methods["get"]["parameters"].as_array().cloned().unwrap_or_default();
            if path.contains("{id}") {
                for id in ["x", "op_1", "%00", "req_%F0%9F", "..%2f", "%ff"] {
                    let found = ask(&format!("{}?session=s1", path.replace("{id}", id)));
                    assert!(matches!(found, 400 | 404), "{path} {id}: {found}");
                }
            }
            let queried = parameters.iter().any(|parameter| parameter["in"] == "query");
            if queried {
                for query in ["surprise=1", "session=%ff", "from=x", "session=a&session=b"] {
                    let id = "op_019b8d627a8070008000000000000007";
                    let found = ask(&format!("{}?{query}", path.replace("{id}", id)));
                    assert!(matches!(found, 400 | 404), "{path} {query}: {found}");
                }
            }
        }
    }
}

#[test]
fn numbers_beside_the_body_keep_the_bounds_that_the_documents_name() {
    let house = House::open();
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
                    let (status, text) = house.raw_on(plane, ("GET", &path), &kind, b"");
                    assert_eq!(status, 400, "{path} {header} {text}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried >= 16, "{tried}");
}

/// No answer is described as just anything.
#[test]
fn every_answer_and_every_body_has_a_form_with_a_name() {
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

/// What only an adapter can say is refused to an agent, field by field, and the document names
/// exactly those.
#[test]
fn the_document_names_every_field_that_takes_an_adapter() {
    let house = House::open();
    let mut named = 0;
    for target in Target::all().iter().filter(|target| target.plane == Plane::Agent) {
        let said = target.operation()["description"].as_str().unwrap_or_default();
        let (_, said) = said.rsplit_once("Only an adapter may send").unwrap_or_default();
        for (name, schema) in properties(&target.schema) {
            let mut body = target.whole();
            body[name] = sample(&target.document, schema);
            let body = body.to_string();
            let (status, text) =
                house.raw_on(Plane::Agent, ("POST", &target.path), JSON, body.as_bytes());
            let is_refused =
                status == 403 && text.contains("is an observation; only an adapter may send it");
            let is_named = said.contains(&format!("`{name}`"));
            assert_eq!(is_named, is_refused, "{} {name}: {text}", target.path);
            named += usize::from(is_named);
        }
    }
    assert_eq!(named, 8);
}

/// Who comes without a credential, with the wrong one or too often is answered as is written.
#[test]
fn every_route_names_its_credentials_and_what_meets_those_without_them() {
    for (plane, names) in
        [(Plane::Agent, &["agent", "adapter"][..]), (Plane::Operator, &["operator"][..])]
    {
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
                    let answer = resolved(&document, &operation["responses"][status]);
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
