//! From a request to whoever answers it. Start at [`router`]: the guard first, then hub, routes and page.

use crate::Door;
use crate::connection;
use crate::fault::Fault;
use crate::guard::{Denial, Pass, is_page};
use crate::id::new_guid;
use crate::rest::routes;
use crate::{openapi, page, socket};
use axum::Json;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{any, get, post};
use serde_json::json;
use std::sync::Arc;

const HUB: &str = "/hubs/coding";

/// What browsers are told with every answer. Nothing is loaded from elsewhere and no script stands in a page.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

const LOCKED: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Cinque</title><main><h1>This page needs its token</h1>\
<p>Open the address that <code>cinque</code> printed when it started. It ends in <code>?token=…</code></p></main>";

pub fn router(door: Door) -> Router {
    let routes = routes();
    let document = Arc::new(openapi::document(&routes));
    let mut router = Router::new()
        .route(HUB, any(hub))
        .route("/hubs/coding/negotiate", post(negotiate))
        .route("/openapi.json", get(move || async move { Json((*document).clone()) }));
    for route in routes {
        router = router.route(route.path, route.serve);
    }
    router
        .fallback(elsewhere)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(door.clone(), guarded))
        .with_state(door)
}

/// Lets a request in or not, and says in every answer what browsers must know.
async fn guarded(State(door): State<Door>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = match door.guard.check(request.method(), request.uri(), request.headers()) {
        Ok(Pass::In) => next.run(request).await,
        Ok(Pass::Welcome { location }) => welcome(&door, &location),
        Err(denial) => denied(denial, &path),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn welcome(door: &Door, location: &str) -> Response {
    let headers = [(header::SET_COOKIE, door.guard.cookie()), (header::LOCATION, location.to_owned())];
    (StatusCode::FOUND, headers).into_response()
}

fn denied(denial: Denial, path: &str) -> Response {
    let fault = match denial {
        Denial::NoHost => Fault::bad("Exactly one valid Host is needed."),
        Denial::ForeignHost => {
            Fault::new(StatusCode::MISDIRECTED_REQUEST, "This server does not go by that name.")
                .hint("use localhost; for other names start the server with --host")
        }
        Denial::ForeignOrigin => {
            Fault::new(StatusCode::FORBIDDEN, "Other sites may not talk to this server.")
        }
        Denial::NoToken if is_page(path) => {
            return (StatusCode::UNAUTHORIZED, Html(LOCKED)).into_response();
        }
        Denial::NoToken => Fault::new(StatusCode::UNAUTHORIZED, "The token is missing or wrong.")
            .hint("send `Authorization: Bearer TOKEN` with the token from .cinque/token"),
    };
    let mut response = fault.into_response();
    if denial == Denial::NoToken {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

async fn hub(State(door): State<Door>, request: Request) -> Response {
    let Ok(place) = door.places.clone().try_acquire_owned() else {
        return Fault::new(StatusCode::SERVICE_UNAVAILABLE, "Too many clients are connected.")
            .into_response();
    };
    socket::upgrade(request, move |socket| async move {
        connection::serve(socket, door.lobby, door.limits).await;
        drop(place);
    })
}

/// Nothing is kept of a negotiation: whoever comes back with a token of the guard may connect with or without one.
async fn negotiate() -> Result<Response, Fault> {
    let random = || new_guid().map_err(|why| Fault::new(StatusCode::INTERNAL_SERVER_ERROR, why));
    let (token, id) = (random()?, random()?);
    let transports = json!([{ "transport": "WebSockets", "transferFormats": ["Text"] }]);
    let answer = json!({
        "negotiateVersion": 1,
        "connectionId": id,
        "connectionToken": token,
        "availableTransports": transports,
    });
    Ok(Json(answer).into_response())
}

/// Files of the page and places inside it; for programs there is nothing here.
async fn elsewhere(method: Method, headers: HeaderMap, request: Request) -> Response {
    let path = request.uri().path();
    if !is_page(path) {
        return Fault::new(StatusCode::NOT_FOUND, "There is no such route.")
            .hint("see /openapi.json")
            .into_response();
    }
    match method {
        Method::GET | Method::HEAD => page::serve(path, &headers),
        _ => wrong_method().await.into_response(),
    }
}

async fn wrong_method() -> Fault {
    Fault::new(StatusCode::METHOD_NOT_ALLOWED, "This cannot be done here.").hint("see /openapi.json")
}
