//! What a browser says it is, in words of ours: what it says itself could be anything.

use axum::http::{HeaderMap, header};

/// What a browser says, and what we call it. Each also says it is those before it, so the order counts.
const BROWSERS: [(&str, &str); 5] = [
    ("Firefox/", "Firefox"),
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// The same for what it runs on.
const SYSTEMS: [(&str, &str); 6] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
];

/// What a device that follows a link says it is.
pub(crate) fn describe_browser(headers: &HeaderMap) -> Option<String> {
    let agent = headers.get(header::USER_AGENT)?.to_str().ok()?;
    let first = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name)
    };
    match (first(&BROWSERS), first(&SYSTEMS)) {
        (Some(browser), Some(system)) => Some(format!("{browser} on {system}")),
        (Some(one), None) | (None, Some(one)) => Some(one.into()),
        (None, None) => None,
    }
}

/// What a device said when it signed in. It is kept in the name it was given then, behind what people call it, and known
/// again by being words of ours.
pub(crate) fn browser_in_name(name: &str) -> Option<&str> {
    let (_, said) = name.strip_suffix(')')?.rsplit_once(" (")?;
    let ours = |names: &[(&str, &str)], word: &str| names.iter().any(|(_, name)| *name == word);
    let known = match said.split_once(" on ") {
        Some((browser, system)) => ours(&BROWSERS, browser) && ours(&SYSTEMS, system),
        None => ours(&BROWSERS, said) || ours(&SYSTEMS, said),
    };
    known.then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_found_again() {
        let phone =
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1";
        let desk = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36";
        for (agent, expected) in
            [(phone, Some("Safari on iPhone")), (desk, Some("Chrome on Linux")), ("curl/8", None)]
        {
            let headers = HeaderMap::from_iter([(header::USER_AGENT, agent.parse().unwrap())]);
            let says = describe_browser(&headers);
            assert_eq!(says.as_deref(), expected, "{agent}");
            if let Some(says) = says {
                assert_eq!(browser_in_name(&format!("Ann (home) ({says})")), Some(says.as_str()));
            }
        }
        for name in
            ["Ann", "Ann (home)", "Ann (Netscape on Linux)", "(Chrome on Linux)", "Ann (Chrome on Linux) x"]
        {
            assert_eq!(browser_in_name(name), None, "{name}");
        }
    }
}
