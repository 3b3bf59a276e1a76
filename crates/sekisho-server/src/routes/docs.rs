//! The description of this server, for programs and for people.
//!
//! Anyone may read it: it says nothing about an instance, and a browser that opens a page has no way to send its key along.

use std::sync::LazyLock;

use axum::http::{HeaderName, HeaderValue, Method, header};

use crate::openapi;
use crate::route::{Access, Route};

/// The page loads its stylesheet and nothing else.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static DOCUMENT: LazyLock<String> = LazyLock::new(openapi::text);
static PAGE: LazyLock<String> = LazyLock::new(|| openapi::page(&openapi::document()));

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/openapi.json", Access::Open, "getOpenapi", document)
            .says("This description, as an OpenAPI document")
            .gives_other(200, "application/json"),
        Route::new(Method::GET, "/api/docs", Access::Open, "getDocs", page)
            .says("This description, as a page to read")
            .gives_other(200, "text/html"),
        Route::new(Method::GET, "/api/docs.css", Access::Open, "getDocsStyle", style)
            .says("What that page looks like")
            .gives_other(200, "text/css"),
    ]
}

type Text = ([(HeaderName, HeaderValue); 2], &'static str);

fn text(media: &'static str, text: &'static str) -> Text {
    let policy = (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    ([(header::CONTENT_TYPE, HeaderValue::from_static(media)), policy], text)
}

async fn document() -> Text {
    text("application/json", &DOCUMENT)
}

async fn page() -> Text {
    text("text/html; charset=utf-8", &PAGE)
}

async fn style() -> Text {
    text("text/css; charset=utf-8", openapi::STYLE)
}
