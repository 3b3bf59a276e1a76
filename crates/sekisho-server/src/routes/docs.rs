//! The API description, for programs and for people.
//!
//! Anyone may read it: it reveals nothing about an instance, and a browser that opens a page cannot send its
//! key along.

use std::sync::OnceLock;

use axum::http::{HeaderName, HeaderValue, Method, header};

use crate::access::Access;
use crate::openapi::{builder, page};
use crate::route::Route;

/// The page loads its stylesheet and nothing else.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static DOCUMENT: OnceLock<String> = OnceLock::new();
static PAGE: OnceLock<String> = OnceLock::new();

/// `table` returns all routes, including these; they are what the document describes.
pub(super) fn routes(table: fn() -> Vec<Route>) -> Vec<Route> {
    let document = move || async move { document(table) };
    let page = move || async move { page(table) };
    vec![
        Route::new(Method::GET, "/api/openapi.json", Access::Open, "getOpenapi", document)
            .summary("This API as an OpenAPI document")
            .media_response(200, "application/json"),
        Route::new(Method::GET, "/api/docs", Access::Open, "getDocs", page)
            .summary("This API as a page to read")
            .media_response(200, "text/html"),
        Route::new(Method::GET, "/api/docs.css", Access::Open, "getDocsStyle", style)
            .summary("The stylesheet of that page")
            .media_response(200, "text/css"),
    ]
}

type Text = ([(HeaderName, HeaderValue); 2], &'static str);

fn text(media: &'static str, text: &'static str) -> Text {
    let policy = (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    ([(header::CONTENT_TYPE, HeaderValue::from_static(media)), policy], text)
}

fn document(table: fn() -> Vec<Route>) -> Text {
    let document = || builder::to_text(&builder::build(&table()));
    text("application/json", DOCUMENT.get_or_init(document))
}

fn page(table: fn() -> Vec<Route>) -> Text {
    let page = || page::page(&builder::build(&table()));
    text("text/html; charset=utf-8", PAGE.get_or_init(page))
}

async fn style() -> Text {
    text("text/css; charset=utf-8", page::STYLE)
}
