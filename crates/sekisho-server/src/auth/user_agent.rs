//! The browser named by a `User-Agent` header, in our own words: the header itself could contain anything.

use axum::http::{HeaderMap, header};

/// Parts of the header and our names. Each browser also claims to be those after it, so the order matters.
const BROWSERS: [(&str, &str); 5] = [
    ("Firefox/", "Firefox"),
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// The same for operating systems.
const SYSTEMS: [(&str, &str); 6] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
];

/// The browser and system of a device that follows a link.
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

/// The browser of a device when it signed in. It is stored in parentheses at the end of the device's name,
/// and recognised because it uses only our own names.
pub(crate) fn browser_in_name(name: &str) -> Option<&str> {
    let (_, described) = name.strip_suffix(')')?.rsplit_once(" (")?;
    let ours = |names: &[(&str, &str)], word: &str| names.iter().any(|(_, name)| *name == word);
    let known = match described.split_once(" on ") {
        Some((browser, system)) => ours(&BROWSERS, browser) && ours(&SYSTEMS, system),
        None => ours(&BROWSERS, described) || ours(&SYSTEMS, described),
    };
    known.then_some(described)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browser_is_found_again_in_the_name() {
        let phone =
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1";
        let laptop = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36";
        for (agent, expected) in
            [(phone, Some("Safari on iPhone")), (laptop, Some("Chrome on Linux")), ("curl/8", None)]
        {
            let headers = HeaderMap::from_iter([(header::USER_AGENT, agent.parse().unwrap())]);
            let described = describe_browser(&headers);
            assert_eq!(described.as_deref(), expected, "{agent}");
            if let Some(described) = described {
                assert_eq!(browser_in_name(&format!("Ann (home) ({described})")), Some(described.as_str()));
            }
        }
        for name in
            ["Ann", "Ann (home)", "Ann (Netscape on Linux)", "(Chrome on Linux)", "Ann (Chrome on Linux) x"]
        {
            assert_eq!(browser_in_name(name), None, "{name}");
        }
    }
}
