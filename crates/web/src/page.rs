//! The page, embedded in the binary when it was built. Start at [`serve`].
//!
//! Names below `assets/` carry a hash of their content, so they may be kept for ever; the page itself is asked for anew
//! each time. A path that is no file is a place inside the page.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

/// One file of the page, with its compressed form where there is one.
struct File {
    path: &'static str,
    bytes: &'static [u8],
    gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

const MISSING: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Cinque</title><main><h1>The page was not built</h1>\
<p>This binary was built without its page. The hub and the API work.</p>\
<p>In the repository, <code>cargo xtask run</code> builds both; or run <code>npm ci &amp;&amp; npm run build</code> in \
<code>page/</code> and build again.</p></main>";

/// What stands at a path: a file, or the page.
pub fn serve(path: &str, headers: &HeaderMap) -> Response {
    let name = path.trim_start_matches('/');
    let found = FILES.iter().find(|file| file.path == name && name != "index.html");
    match found.or_else(|| FILES.iter().find(|file| file.path == "index.html")) {
        _ if found.is_none() && name.starts_with("assets/") => {
            answer(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", "no-store", b"There is no such file.")
        }
        Some(file) => give(file, headers),
        None => answer(StatusCode::OK, "text/html; charset=utf-8", "no-store", MISSING.as_bytes()),
    }
}

fn give(file: &File, headers: &HeaderMap) -> Response {
    let keep = match file.path {
        "index.html" => "no-store",
        path if path.starts_with("assets/") => "public, max-age=31536000, immutable",
        _ => "no-cache",
    };
    match file.gzip.filter(|_| takes_gzip(headers)) {
        Some(gzip) => {
            let mut response = answer(StatusCode::OK, kind(file.path), keep, gzip);
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            response
        }
        None => answer(StatusCode::OK, kind(file.path), keep, file.bytes),
    }
}

fn answer(status: StatusCode, kind: &'static str, keep: &'static str, bytes: &'static [u8]) -> Response {
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut parts = accepted.flat_map(|value| value.split(','));
    parts.any(|part| {
        let (name, quality) = part.split_once(';').unwrap_or((part, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(quality.trim(), "q=0" | "q=0.0")
    })
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
