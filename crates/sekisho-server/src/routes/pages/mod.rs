//! The page under the addresses of its views, and the files it is made of ([`sekisho_ui`]). The page itself finds out from
//! the address what to show.

mod coding;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use sekisho_ui::File;

use crate::access::Access;
use crate::error::Fault;
use crate::route::Route;

/// Addresses that show the page, what each is called, and what is seen there.
const VIEWS: &[(&str, &str, &str)] = &[
    ("/", "getPage", "The page: what waits for an answer"),
    ("/approvals/{id}", "getApprovalPage", "The page: one question"),
    ("/rules", "getRulesPage", "The page: rules, and trying them"),
    ("/audit", "getAuditPage", "The page: the record"),
    ("/settings", "getSettingsPage", "The page: devices, trust and preferences"),
    ("/settings/{section}", "getSettingsSection", "The page: some of the settings"),
];

/// A name with a hash in it never means anything else; everything else is asked for again each time.
const LASTING: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASKED_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

pub(super) fn routes() -> Vec<Route> {
    let views = VIEWS.iter().map(|(path, operation, summary)| {
        Route::new(Method::GET, path, Access::Open, operation, view)
            .says(summary)
            .gives_other(200, "text/html")
    });
    let files = [
        Route::new(Method::GET, "/assets/{file}", Access::Open, "getAsset", asset)
            .says("A file of the page")
            .gives_other(200, "application/octet-stream")
            .faults(&[404]),
        // Browsers look for icons and the like at the top.
        Route::new(Method::GET, "/{file}", Access::Open, "getFile", top)
            .says("A file of the page that lies at the top")
            .gives_other(200, "application/octet-stream")
            .faults(&[404]),
    ];
    views.chain(files).collect()
}

async fn view(headers: HeaderMap) -> Response {
    give(sekisho_ui::index(), &headers)
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Fault> {
    let file = sekisho_ui::file(&format!("assets/{name}"));
    file.map(|file| give(file, &headers)).ok_or_else(|| Fault::not_found("there is no such file"))
}

async fn top(Path(name): Path<String>, uri: Uri, headers: HeaderMap) -> Response {
    // What was written as `%2F` is no folder.
    match sekisho_ui::file(&name).filter(|_| !name.contains('/')) {
        Some(file) => give(file, &headers),
        None => nowhere(Method::GET, uri, headers).await,
    }
}

/// Where nothing is. A person who followed an old or mistyped link is shown the page, which says so and leads on.
pub(crate) async fn nowhere(method: Method, uri: Uri, mut headers: HeaderMap) -> Response {
    let machines = ["/api", "/assets/"].iter().any(|prefix| uri.path().starts_with(prefix));
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if method != Method::GET || machines || !accepts.contains("text/html") {
        return Fault::not_found("there is nothing here").into_response();
    }
    headers.remove(header::IF_NONE_MATCH);
    let mut response = give(sekisho_ui::index(), &headers);
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn give(file: &'static File, headers: &HeaderMap) -> Response {
    let cached = [
        (header::ETAG, HeaderValue::from_static(file.tag)),
        (header::CACHE_CONTROL, if file.lasting { LASTING } else { ASKED_AGAIN }),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
    ];
    if is_known(file, headers) {
        return (StatusCode::NOT_MODIFIED, cached).into_response();
    }
    let sent = coding::choose(file, headers);
    let mut response = (cached, [(header::CONTENT_TYPE, file.kind)], sent.bytes).into_response();
    if let Some(name) = sent.coding {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    response
}

/// Whether the browser has it already.
fn is_known(file: &File, headers: &HeaderMap) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok());
    let mut known = known.flat_map(|tags| tags.split(',')).map(opaque);
    let ours = opaque(file.tag);
    known.any(|tag| tag == "*" || tag == ours)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};
    use sekisho_ui::File;

    use super::give;

    static FILE: File = File {
        path: "assets/index-Bq0X1aZz.js",
        kind: "text/javascript; charset=utf-8",
        plain: b"plain",
        brotli: Some(b"br"),
        gzip: None,
        tag: "W/\"0\"",
        lasting: true,
    };

    #[test]
    fn a_file_says_how_it_is_coded_and_kept() {
        let accept = HeaderValue::from_static("gzip, deflate, br, zstd");
        let response = give(&FILE, &HeaderMap::from_iter([(header::ACCEPT_ENCODING, accept)]));
        for (name, value) in [
            (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
            (header::CONTENT_ENCODING, "br"),
            (header::VARY, "Accept-Encoding"),
            (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
            (header::ETAG, "W/\"0\""),
        ] {
            assert_eq!(response.headers()[&name], value, "{name}");
        }
        assert!(!give(&FILE, &HeaderMap::new()).headers().contains_key(header::CONTENT_ENCODING));
    }

    #[test]
    fn what_is_known_is_not_sent() {
        for (tags, status) in [
            ("W/\"0\"", 304),
            ("\"0\"", 304),
            ("\"1\", W/\"0\"", 304),
            ("*", 304),
            ("\"1\"", 200),
            ("0", 200),
        ] {
            let tags = HeaderValue::from_static(tags);
            let response = give(&FILE, &HeaderMap::from_iter([(header::IF_NONE_MATCH, tags.clone())]));
            assert_eq!(response.status(), status, "{tags:?}");
            assert_eq!(response.headers()[header::VARY], "Accept-Encoding");
            assert_eq!(response.headers().contains_key(header::CONTENT_TYPE), status == 200);
        }
    }
}
