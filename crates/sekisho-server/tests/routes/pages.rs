//! The page and its files, whether or not the page was built.

use sekisho_ui::UiFile;

use crate::harness::socket_server::TestServer;

/// The first file in `assets` with this extension.
pub(crate) fn asset(ending: &str) -> &'static UiFile {
    let mut files = sekisho_ui::files().iter();
    files.find(|file| file.path.starts_with("assets/") && file.path.ends_with(ending)).unwrap()
}

fn all() -> impl Iterator<Item = (String, &'static UiFile)> {
    let files = sekisho_ui::files().iter().map(|file| (format!("/{}", file.path), file));
    files.chain([("/".to_owned(), sekisho_ui::index())])
}

#[tokio::test]
async fn page_has_no_inline_scripts_or_styles() {
    let server = TestServer::new().await;
    let page = server.send(&server.request("GET", "/")).await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let text = String::from_utf8(page.body).unwrap();
    assert!(!text.contains("style=") && !text.contains("onclick") && !text.contains("<style"));
    for script in text.split("<script").skip(1) {
        assert!(script.contains(" src=\"/assets/") && script.contains("></script>"), "{script}");
    }
    for quoted in text.split('"').filter(|quoted| quoted.starts_with('/') && quoted.len() > 1) {
        assert_eq!(server.send(&server.request("GET", quoted)).await.status, 200, "{quoted}");
    }
}

#[tokio::test]
async fn every_view_serves_the_page() {
    let server = TestServer::new().await;
    for view in [
        "/",
        "/approvals/01890000-0000-7000-8000-000000000000",
        "/rules",
        "/audit",
        "/settings",
        "/settings/devices",
    ] {
        for address in [view.to_owned(), format!("{view}?q=rm&from=%2F")] {
            let reply = server.send(&server.request("GET", &address)).await;
            assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/html; charset=utf-8")));
            assert_eq!(reply.header("cache-control"), Some("no-cache"), "{address}");
            assert_eq!(reply.body, sekisho_ui::index().plain, "{address}");
        }
    }
    for other in
        ["/nothing", "/index.html", "/rules/", "/rules/x", "/approvals", "/settings/a/b", "/api", "/Rules"]
    {
        let reply = server.send(&server.request("GET", other)).await;
        assert_eq!((reply.status, reply.code().as_str()), (404, "NotFound"), "{other}");
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{other}");
    }
}

#[tokio::test]
async fn unknown_path_shows_the_page_to_people_and_an_error_to_programs() {
    let server = TestServer::new().await;
    let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    for (method, address, accept, shown) in [
        ("GET", "/nothing", browser, true),
        ("GET", "/rules/x/y", browser, true),
        ("GET", "/nothing", "*/*", false),
        ("GET", "/api/nothing", browser, false),
        ("GET", "/assets/nothing.js", browser, false),
    ] {
        let request = server.request(method, address).header("Accept", accept);
        let reply = server.send(&request.header("If-None-Match", "*")).await;
        assert_eq!((reply.status, reply.header("cache-control")), (404, Some("no-store")), "{address}");
        assert_eq!(reply.body == sekisho_ui::index().plain, shown, "{method} {address} {accept}");
        assert!(shown || reply.code() == "NotFound", "{address}");
    }
}

#[tokio::test]
async fn files_have_content_types_and_are_not_sent_twice() {
    let server = TestServer::new().await;
    for (path, file) in all() {
        let reply = server.send(&server.request("GET", &path)).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(file.content_type)), "{path}");
        assert_eq!(reply.body, file.plain, "{path}");
        let tag = reply.header("etag").unwrap().to_owned();
        let again = server.send(&server.request("GET", &path).header("If-None-Match", &tag)).await;
        assert_eq!((again.status, again.body.len()), (304, 0));
        assert_eq!(again.header("cache-control"), reply.header("cache-control"));
        let listed = server.request("GET", &path).header("If-None-Match", &format!("\"x\", {tag}"));
        assert_eq!(server.send(&listed).await.status, 304);
        let other = server.request("GET", &path).header("If-None-Match", "\"x\"");
        assert_eq!(server.send(&other).await.status, 200);
    }
}

#[tokio::test]
async fn only_names_with_a_hash_are_cached_as_immutable() {
    let server = TestServer::new().await;
    for (path, file) in all() {
        let reply = server.send(&server.request("GET", &path)).await;
        let kept = if file.is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
        assert_eq!(reply.header("cache-control"), Some(kept), "{path}");
        assert!(!file.is_immutable || path.starts_with("/assets/"), "{path}");
    }
}

#[tokio::test]
async fn files_are_sent_in_an_accepted_coding() {
    let server = TestServer::new().await;
    for (path, file) in all() {
        for (accept, coding, bytes) in [
            ("gzip, br", "br", file.brotli.or(file.gzip)),
            ("gzip", "gzip", file.gzip),
            ("br;q=0, gzip;q=0", "", None),
        ] {
            let coding = if coding == "br" && file.brotli.is_none() { "gzip" } else { coding };
            let reply = server.send(&server.request("GET", &path).header("Accept-Encoding", accept)).await;
            assert_eq!(reply.header("content-encoding"), bytes.map(|_| coding), "{path} {accept}");
            assert_eq!(reply.body, bytes.unwrap_or(file.plain), "{path} {accept}");
            assert_eq!(reply.header("vary"), Some("Accept-Encoding"), "{path}");
            assert_eq!(reply.header("content-type"), Some(file.content_type), "{path}");
        }
    }
}

#[tokio::test]
async fn head_request_has_the_same_headers() {
    let server = TestServer::new().await;
    for (path, _) in all() {
        let whole = server.send(&server.request("GET", &path).header("Accept-Encoding", "br")).await;
        let raw_request = server.request("HEAD", &path).header("Accept-Encoding", "br");
        let head = server.connect().await.ask_for_head(&raw_request.bytes()).await;
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
        for name in ["content-type", "content-length", "content-encoding", "etag", "cache-control", "vary"] {
            assert_eq!(head.header(name), whole.header(name), "{path}: {name}");
        }
    }
}

#[tokio::test]
async fn page_allows_only_sveltes_trusted_types_policy() {
    let server = TestServer::new().await;
    for path in ["/", "/rules", "/api/docs"] {
        let reply = server.send(&server.request("GET", path)).await;
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("require-trusted-types-for 'script'"), "{path}: {policy}");
        assert!(policy.ends_with("trusted-types svelte-trusted-html"), "{path}: {policy}");
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{path}: {policy}");
    }
}
