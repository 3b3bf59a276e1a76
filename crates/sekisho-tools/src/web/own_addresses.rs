//! Whether a URL leads to sekisho's own server.

use url::Url;

use super::web_url::WebUrl;

/// Whether a URL names one of the server's own addresses. Those are `host`, which stands for all its ports,
/// `host:port`, or a URL; anything else in the list is skipped.
pub fn is_own_address(url: &WebUrl, own: &[String]) -> bool {
    own.iter().any(|entry| names(entry, url))
}

fn names(entry: &str, url: &WebUrl) -> bool {
    let is_url = entry.starts_with("http://") || entry.starts_with("https://");
    if !is_url && entry.contains(['/', ' ']) {
        return false;
    }
    let text = if is_url { entry.to_owned() } else { format!("http://{entry}") };
    let Ok(own) = Url::parse(&text) else { return false };
    let Some(host) = own.host_str() else { return false };
    let has_port = own.port().is_some() || entry.ends_with(":80");
    let port = if is_url || has_port { own.port_or_known_default() } else { None };
    host.trim_end_matches('.') == url.host() && port.is_none_or(|port| port == url.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_addresses_are_recognised() {
        let own = [
            "127.0.0.1:8787".to_owned(),
            "localhost 8787".into(),
            "/run/sekisho.sock".into(),
            "[::1]:8787".into(),
            "gate.example.com".into(),
            "https://public.example.com".into(),
            "plain.example.com:80".into(),
        ];
        for (url, expected) in [
            ("http://127.0.0.1:8787/api", true),
            ("http://0x7f000001:8787/", true),
            ("http://127.0.0.1:80/", false),
            ("http://[0::1]:8787/", true),
            ("https://gate.example.com/", true),
            ("http://GATE.example.com.:99/", true),
            ("http://not.gate.example.com/", false),
            ("https://public.example.com/x", true),
            ("http://public.example.com/x", false),
            ("http://plain.example.com/", true),
            ("https://plain.example.com/", false),
            ("https://example.com/", false),
        ] {
            assert_eq!(is_own_address(&WebUrl::parse(url).unwrap(), &own), expected, "{url}");
        }
    }
}
