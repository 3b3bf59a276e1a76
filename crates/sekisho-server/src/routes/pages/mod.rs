//! The page at the addresses of its views, and its files ([`sekisho_ui`]). The page itself chooses the view
//! from the address.

mod content_encoding;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use sekisho_ui::UiFile;

use crate::access::Access;
use crate::error::ApiError;
use crate::route::Route;

/// Addresses that show the page, with operation names and summaries.
const VIEWS: &[(&str, &str, &str)] = &[
    ("/", "getPage", "The page: open approvals"),
    ("/approvals/{id}", "getApprovalPage", "The page: one approval"),
    ("/agents", "getAgentsPage", "The page: agents and their tools"),
    ("/agents/{id}", "getAgentPage", "The page: one agent"),
    ("/runs", "getRunsPage", "The page: runs of agents"),
    ("/runs/{id}", "getRunPage", "The page: one run"),
    ("/pipelines", "getPipelinesPage", "The page: pipelines and their runs"),
    ("/pipelines/{id}", "getPipelinePage", "The page: one pipeline"),
    ("/pipelines/runs/{id}", "getPipelineRunPage", "The page: one run of a pipeline"),
    ("/rules", "getRulesPage", "The page: rules, and testing them"),
    ("/audit", "getAuditPage", "The page: the audit log"),
    ("/settings", "getSettingsPage", "The page: devices, trust and preferences"),
    ("/settings/{section}", "getSettingsSection", "The page: one section of the settings"),
];

/// A file whose name contains a hash never changes; every other file is revalidated each time.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

pub(super) fn routes() -> Vec<Route> {
    let views = VIEWS.iter().map(|(path, operation, summary)| {
        Route::new(Method::GET, path, Access::Open, operation, view)
            .summary(summary)
            .media_response(200, "text/html")
    });
    let files = [
        Route::new(Method::GET, "/assets/{file}", Access::Open, "getAsset", asset)
            .summary("A file of the page")
            .media_response(200, "application/octet-stream")
            .error_statuses(&[404]),
        // Browsers look for icons and similar files at the top level.
        Route::new(Method::GET, "/{file}", Access::Open, "getFile", top)
            .summary("A file of the page at the top level")
            .media_response(200, "application/octet-stream")
            .error_statuses(&[404]),
    ];
    views.chain(files).collect()
}

async fn view(headers: HeaderMap) -> Response {
    file_response(sekisho_ui::index(), &headers)
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    let file = sekisho_ui::file(&format!("assets/{name}"));
    file.map(|file| file_response(file, &headers)).ok_or_else(|| ApiError::not_found("file not found"))
}

async fn top(Path(name): Path<String>, uri: Uri, headers: HeaderMap) -> Response {
    // An encoded slash (`%2F`) does not name a folder.
    match sekisho_ui::file(&name).filter(|_| !name.contains('/')) {
        Some(file) => file_response(file, &headers),
        None => not_found_page(Method::GET, uri, headers).await,
    }
}

/// The response for unknown addresses. A person who followed an old or mistyped link gets the page, which
/// says so and offers a way on.
pub(crate) async fn not_found_page(method: Method, uri: Uri, mut headers: HeaderMap) -> Response {
    let machines = ["/api", "/assets/"].iter().any(|prefix| uri.path().starts_with(prefix));
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if method != Method::GET || machines || !accepts.contains("text/html") {
        return ApiError::not_found("not found").into_response();
    }
    headers.remove(header::IF_NONE_MATCH);
    let mut response = file_response(sekisho_ui::index(), &headers);
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn file_response(file: &'static UiFile, headers: &HeaderMap) -> Response {
    let cached = [
        (header::ETAG, HeaderValue::from_static(file.etag)),
        (header::CACHE_CONTROL, if file.is_immutable { IMMUTABLE } else { REVALIDATE }),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
    ];
    if matches_etag(file, headers) {
        return (StatusCode::NOT_MODIFIED, cached).into_response();
    }
    let sent = content_encoding::choose(file, headers);
    let mut response = (cached, [(header::CONTENT_TYPE, file.content_type)], sent.bytes).into_response();
    if let Some(name) = sent.coding {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    response
}

/// Whether the browser already has this version.
fn matches_etag(file: &UiFile, headers: &HeaderMap) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok());
    let mut known = known.flat_map(|tags| tags.split(',')).map(opaque);
    let ours = opaque(file.etag);
    known.any(|tag| tag == "*" || tag == ours)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};
    use sekisho_ui::UiFile;

    use super::file_response;

    static FILE: UiFile = UiFile {
        path: "assets/index-Bq0X1aZz.js",
        content_type: "text/javascript; charset=utf-8",
        plain: b"plain",
        brotli: Some(b"br"),
        gzip: None,
        etag: "W/\"0\"",
        is_immutable: true,
    };

    #[test]
    fn file_response_has_coding_and_caching_headers() {
        let accept = HeaderValue::from_static("gzip, deflate, br, zstd");
        let response = file_response(&FILE, &HeaderMap::from_iter([(header::ACCEPT_ENCODING, accept)]));
        for (name, value) in [
            (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
            (header::CONTENT_ENCODING, "br"),
            (header::VARY, "Accept-Encoding"),
            (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
            (header::ETAG, "W/\"0\""),
        ] {
            assert_eq!(response.headers()[&name], value, "{name}");
        }
        assert!(!file_response(&FILE, &HeaderMap::new()).headers().contains_key(header::CONTENT_ENCODING));
    }

    #[test]
    fn file_the_browser_has_is_not_sent() {
        for (tags, status) in [
            ("W/\"0\"", 304),
            ("\"0\"", 304),
            ("\"1\", W/\"0\"", 304),
            ("*", 304),
            ("\"1\"", 200),
            ("0", 200),
        ] {
            let tags = HeaderValue::from_static(tags);
            let response =
                file_response(&FILE, &HeaderMap::from_iter([(header::IF_NONE_MATCH, tags.clone())]));
            assert_eq!(response.status(), status, "{tags:?}");
            assert_eq!(response.headers()[header::VARY], "Accept-Encoding");
            assert_eq!(response.headers().contains_key(header::CONTENT_TYPE), status == 200);
        }
    }
}
