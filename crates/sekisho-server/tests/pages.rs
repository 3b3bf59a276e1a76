//! The page and its files.

use crate::house_edge::House;

#[tokio::test]
async fn the_page_is_made_of_files_and_nothing_inline() {
    let house = House::new().await;
    let page = house.send(&house.request("GET", "/")).await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let text = String::from_utf8(page.body).unwrap();
    assert!(!text.contains("style=") && !text.contains("onclick") && !text.contains("<style"));
    for script in text.split("<script").skip(1) {
        assert!(script.starts_with(" src=\"/assets/") && script.contains("></script>"), "{script}");
    }
    for quoted in text.split('"').filter(|quoted| quoted.starts_with("/assets/")) {
        assert_eq!(house.send(&house.request("GET", quoted)).await.status, 200, "{quoted}");
    }
}

#[tokio::test]
async fn files_have_their_kind_and_are_not_sent_twice() {
    let house = House::new().await;
    for (file, kind) in
        [("page.js", "text/javascript; charset=utf-8"), ("page.css", "text/css; charset=utf-8")]
    {
        let path = format!("/assets/{file}");
        let reply = house.send(&house.request("GET", &path)).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(kind)));
        let tag = reply.header("etag").unwrap().to_owned();
        let again = house.send(&house.request("GET", &path).header("If-None-Match", &tag)).await;
        assert_eq!((again.status, again.body.len()), (304, 0));
        let weak = house.request("GET", &path).header("If-None-Match", &format!("\"x\", W/{tag}"));
        assert_eq!(house.send(&weak).await.status, 304);
        let other = house.request("GET", &path).header("If-None-Match", "\"x\"");
        assert_eq!(house.send(&other).await.status, 200);
    }
}

#[tokio::test]
async fn the_page_keeps_its_half_and_sends_it() {
    let house = House::new().await;
    let script = String::from_utf8(house.send(&house.request("GET", "/assets/page.js")).await.body).unwrap();
    // No browser runs here: this much at least must be there.
    for part in [
        "localStorage.setItem(KEPT, ",
        "localStorage.getItem(KEPT)",
        "localStorage.removeItem(KEPT)",
        "\"X-Sekisho-Page\"",
        ".pageKey",
    ] {
        assert!(script.contains(part), "{part}");
    }
}
