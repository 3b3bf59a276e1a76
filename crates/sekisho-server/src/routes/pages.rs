//! The page at `/`, and the files it is made of. They are part of the program: nothing is read from the disk, and a name
//! that is not in the table is no file. The full page will take over both paths.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};

use crate::error::Fault;
use crate::route::{Access, Route};

struct File {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

const INDEX: File =
    File { name: "", kind: "text/html; charset=utf-8", text: include_str!("../../assets/index.html") };
const FILES: [File; 2] = [
    File {
        name: "page.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("../../assets/page.js"),
    },
    File { name: "page.css", kind: "text/css; charset=utf-8", text: include_str!("../../assets/page.css") },
];

/// Changes whenever any file does.
static TAG: LazyLock<HeaderValue> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for file in FILES.iter().chain([&INDEX]) {
        hash.update(file.text);
    }
    let hex: String = hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::try_from(format!("\"{hex}\"")).unwrap_or(HeaderValue::from_static("\"\""))
});

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/", Access::Open, "getPage", index)
            .says("The page")
            .gives_other(200, "text/html"),
        Route::new(Method::GET, "/assets/{file}", Access::Open, "getAsset", asset)
            .says("A file of the page")
            .gives_other(200, "application/octet-stream")
            .faults(&[404]),
    ]
}

async fn index(headers: HeaderMap) -> Response {
    give(&INDEX, &headers)
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Fault> {
    let file = FILES.iter().find(|file| file.name == name);
    file.map(|file| give(file, &headers)).ok_or_else(|| Fault::not_found("there is no such file"))
}

fn give(file: &File, headers: &HeaderMap) -> Response {
    let cached = [(header::ETAG, TAG.clone()), (header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok());
    let mut known = known.flat_map(|tags| tags.split(',')).map(|tag| tag.trim().trim_start_matches("W/"));
    if known.any(|tag| tag == "*" || tag.as_bytes() == TAG.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, cached).into_response();
    }
    (cached, [(header::CONTENT_TYPE, file.kind)], file.text).into_response()
}
