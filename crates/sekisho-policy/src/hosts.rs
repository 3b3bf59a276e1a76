//! Hosts: the host patterns of rules, and the hosts of URLs.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Host, Url};

use crate::error::RuleError;
use crate::input_strings::each_string;
use crate::match_result::MatchResult;
use crate::similar_fields::similar_fields;
use crate::tools::{TargetField, Tool};

/// A host, or all hosts below a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum HostPattern {
    /// This host only.
    Exact(String),
    /// `*.x`: every host below `x`, not `x` itself. Stored with its leading dot.
    Below(String),
}

impl HostPattern {
    /// Parses the `host` of a rule: a name in any case or script, or `*.suffix`; no scheme, no port.
    pub(crate) fn new(text: &str) -> Result<HostPattern, RuleError> {
        let (below, name) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let fault = |message: &str| RuleError::new("host", format!("`{text}` {message}"));
        if text.contains("://") || text.contains('/') {
            return Err(fault("is a URL").hint("write the host alone, such as `example.com`"));
        }
        if name.contains('*') {
            return Err(fault("has a `*` in the middle").hint("only `*.suffix` is supported"));
        }
        let host =
            Host::parse(name).map_err(|_| fault("is not a host").hint("write a name without a port"))?;
        match (below, host) {
            (true, Host::Domain(name)) => Ok(HostPattern::Below(format!(".{}", name.trim_end_matches('.')))),
            (true, _) => Err(fault("puts `*.` before an address").hint("write the address itself")),
            (false, Host::Domain(name)) => Ok(HostPattern::Exact(name.trim_end_matches('.').into())),
            (false, address) => Ok(HostPattern::Exact(address.to_string())),
        }
    }

    fn covers(&self, host: &str) -> bool {
        match self {
            HostPattern::Exact(name) => host == name,
            HostPattern::Below(suffix) => host.len() > suffix.len() && host.ends_with(suffix.as_str()),
        }
    }

    /// Whether the rule matches a target.
    pub(crate) fn fit(&self, target: &HostTarget, wide: bool) -> MatchResult {
        match target {
            HostTarget::Unknown => MatchResult::Unknown,
            HostTarget::Doubtful(_) if !wide => MatchResult::No,
            HostTarget::Ambiguous(host) if self.covers(host) => {
                if wide {
                    MatchResult::Yes
                } else {
                    MatchResult::No
                }
            }
            HostTarget::Ambiguous(_) => {
                if wide {
                    MatchResult::Unknown
                } else {
                    MatchResult::No
                }
            }
            HostTarget::Plain(host) | HostTarget::Doubtful(host) => MatchResult::of(self.covers(host)),
        }
    }
}

/// The host a call would contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostTarget {
    /// From a plain http or https URL.
    Plain(String),
    /// The likely host, if a scheme is added or ignored.
    Doubtful(String),
    /// Parsers disagree about the host: one reads this host, another could read a different one
    /// (`http://a\\@b/`).
    Ambiguous(String),
    /// The host is unknown.
    Unknown,
}

impl HostTarget {
    pub(crate) fn of(text: &str) -> HostTarget {
        let plain = !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\');
        let parsed = Url::parse(text);
        let web = parsed.as_ref().is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        let url = match parsed {
            Ok(url) if url.has_host() => Some(url),
            // `example.com/x`: some tools add the scheme themselves.
            _ => Url::parse(&format!("https://{}", text.trim())).ok(),
        };
        let host = url.as_ref().and_then(Url::host_str).map(|host| host.trim_end_matches('.').to_owned());
        match host {
            Some(host) if plain && web && !host.is_empty() => HostTarget::Plain(host),
            Some(host) if !host.is_empty() && plain => HostTarget::Doubtful(host),
            Some(host) if !host.is_empty() => HostTarget::Ambiguous(host),
            _ => HostTarget::Unknown,
        }
    }
}

/// Characters that can surround a URL in prose.
pub(crate) const BREAKS: fn(char) -> bool = |c| c.is_whitespace() || "<>()\"'`,".contains(c);

/// The hosts that prose names. Agents differ in where a URL ends: a character that ends the host for one may
/// be part of it for another. So a URL with more text after such a character is unknown.
fn prose_hosts(text: &str, targets: &mut Vec<HostTarget>) {
    for word in text.split_whitespace().filter(|word| word.contains("://")) {
        let word = word.trim_matches(BREAKS);
        targets.extend(word.split(BREAKS).filter(|piece| piece.contains("://")).map(HostTarget::of));
        if word.contains(BREAKS) {
            targets.push(HostTarget::Unknown);
        }
    }
}

/// The hosts a call to a web tool names. Never empty.
pub(crate) fn hosts_of(tool: &Tool, input: &Value) -> Vec<HostTarget> {
    let mut targets = Vec::new();
    for place in tool.target_fields {
        match place {
            TargetField::Field(field) => each_string(input.get(field), &mut |text| {
                targets.push(text.map_or(HostTarget::Unknown, HostTarget::of));
            }),
            TargetField::Prose(field) => {
                prose_hosts(input.get(field).and_then(Value::as_str).unwrap_or(""), &mut targets);
            }
            TargetField::Glob(_) | TargetField::Filter(_) | TargetField::Patch(_) => {}
        }
    }
    for like in similar_fields(tool, input) {
        each_string(Some(like.value), &mut |text| prose_hosts(text.unwrap_or_default(), &mut targets));
        targets.push(HostTarget::Unknown);
    }
    if targets.is_empty() {
        targets.push(HostTarget::Unknown);
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::{HostPattern, HostTarget};
    use crate::match_result::MatchResult;

    #[track_caller]
    fn check(rule: &str, url: &str, wide: bool, expected: MatchResult) {
        assert_eq!(
            HostPattern::new(rule).unwrap().fit(&HostTarget::of(url), wide),
            expected,
            "{rule} on {url}"
        );
    }

    #[test]
    fn hosts_are_compared_as_the_network_sees_them() {
        check("example.com", "https://EXAMPLE.com:8443/x", false, MatchResult::Yes);
        check("Example.COM", "https://example.com./x", false, MatchResult::Yes);
        check("bücher.example", "https://xn--bcher-kva.example/", false, MatchResult::Yes);
        check("example.com", "https://user:pw@evil.test@example.com/", false, MatchResult::Yes);
        check("example.com", "https://example.com@evil.test/", false, MatchResult::No);
        check("example.com", "https://notexample.com/", false, MatchResult::No);
        check("*.example.com", "https://a.b.example.com/", false, MatchResult::Yes);
        check("*.example.com", "https://example.com/", false, MatchResult::No);
        check("*.example.com", "https://evilexample.com/", false, MatchResult::No);
        check("127.0.0.1", "http://0x7f.1/", false, MatchResult::Yes);
        check("[::1]", "http://[0:0::1]:80/", false, MatchResult::Yes);
    }

    #[test]
    fn doubtful_url_counts_only_for_denies() {
        for url in ["example.com/x", "https:\\\\example.com/", "ftp://example.com/", " https://example.com/"]
        {
            check("example.com", url, true, MatchResult::Yes);
            check("example.com", url, false, MatchResult::No);
        }
        check("example.com", "", true, MatchResult::Unknown);
        check("example.com", "file:///etc/passwd", false, MatchResult::No);
    }

    #[test]
    fn invalid_hosts_are_refused() {
        for text in ["https://x.com", "x.com/y", "a*.com", "x.com:80", "*.1.2.3.4", "a b", ""] {
            assert!(HostPattern::new(text).is_err(), "{text}");
        }
    }
}
