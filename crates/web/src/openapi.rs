//! `/openapi.json`: the routes as a document for programs. Start at [`document`]. It is made from the routes and the
//! types themselves, so it cannot say anything else than they do.

use crate::fault::ErrorShape;
use crate::rest::{Describe, Route};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

/// Describes the routes in OpenAPI 3.1, whose schemas are JSON Schema.
pub fn document(routes: &[Route]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let error = generator.subschema_for::<ErrorShape>();
    let mut paths = Map::new();
    for route in routes {
        let operation = operation(route, &mut generator, error.as_value());
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Cinque",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Conversations with a coding agent. What happens live comes over the SignalR hub at /hubs/coding.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": generator.take_definitions(true),
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator, error: &Value) -> Value {
    let mut responses = json!({
        "default": { "description": "Refused", "content": { "application/json": { "schema": error } } },
    });
    let mut good = json!({ "description": "Done" });
    if let Some(content) = route.gives.map(|describe| content(describe, generator)) {
        for status in route.likewise {
            responses[status.to_string()] = json!({ "description": "Refused", "content": content });
        }
        good["content"] = content;
    }
    responses[route.status.to_string()] = good;
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "parameters": parameters(route, generator),
        "responses": responses,
    });
    if let Some(content) = route.takes.map(|describe| content(describe, generator)) {
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    operation
}

fn content(describe: Describe, generator: &mut SchemaGenerator) -> Value {
    json!({ "application/json": { "schema": describe(generator).as_value() } })
}

fn parameters(route: &Route, generator: &mut SchemaGenerator) -> Vec<Value> {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = in_path
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let query = route.query.map(|describe| describe(generator).to_value());
    let properties = query.as_ref().and_then(|query| query["properties"].as_object());
    let in_query = properties.into_iter().flatten().map(|(name, schema)| {
        json!({ "name": name, "in": "query", "required": false, "description": schema["description"], "schema": schema })
    });
    in_path.chain(in_query).collect()
}

/// A name that generated clients can use for a function.
fn operation_id(route: &Route) -> String {
    let parts =
        route.path.split('/').filter(|part| !part.is_empty() && *part != "api" && !part.starts_with('{'));
    let plural = if route.path.ends_with('}') { "_one" } else { "" };
    format!("{}_{}{plural}", route.method, parts.collect::<Vec<_>>().join("_"))
}
