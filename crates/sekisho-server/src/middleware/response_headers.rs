//! The security headers of every response, and one shape for all errors.

use axum::body::to_bytes;
use axum::http::header::{
    self, CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;
use crate::settings::Settings;

/// Nothing inline, nothing evaluated, nothing from elsewhere, no framing. Only the policy that Svelte creates
/// for its compiled templates may turn text into elements.
const CSP_VALUE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html",
);
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), \
     payment=(), serial=(), usb=()",
);

/// The longest foreign error message that is passed on, in bytes.
const LONGEST: usize = 1024;

/// Adds the security headers.
pub(super) fn add_security_headers(settings: &Settings, path: &str, headers: &mut HeaderMap) {
    let own = HeaderValue::from_static("same-origin");
    headers.insert(CONTENT_SECURITY_POLICY, CSP_VALUE);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(HeaderName::from_static("cross-origin-opener-policy"), own.clone());
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), own);
    headers.insert(HeaderName::from_static("permissions-policy"), PERMISSIONS);
    if path.starts_with("/api") || path.starts_with("/mastra") || !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if settings.secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
}

/// Gives errors of the router or an extractor our JSON shape.
pub(super) async fn normalize_error(response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let ours = |kind: &[u8]| kind.starts_with(b"application/json") || kind.starts_with(b"text/html");
    if !status.is_client_error() || kind.is_some_and(ours) {
        return response;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    let message = to_bytes(response.into_body(), LONGEST).await.unwrap_or_default();
    let message = String::from_utf8_lossy(&message).into_owned();
    let (code, default) = match status {
        StatusCode::NOT_FOUND => ("NotFound", "not found"),
        StatusCode::METHOD_NOT_ALLOWED => {
            ("MethodNotAllowed", "this method is not allowed here; see the `Allow` header")
        }
        StatusCode::UPGRADE_REQUIRED => ("UpgradeRequired", "this route needs a WebSocket upgrade"),
        _ => ("InvalidRequest", "the request is invalid"),
    };
    let mut response = ApiError::new(status, code, if message.is_empty() { default.into() } else { message })
        .into_response();
    if let Some(allow) = allow {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}
