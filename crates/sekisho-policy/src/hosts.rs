//! Hosts: the host patterns of rules, and the hosts of URLs.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Host, Url};

use crate::error::RuleError;
use crate::input_strings::each_string;
use crate::match_result::MatchResult;
use crate::similar_fields::similar_fields;
use crate::tools::{TargetField, Tool};

/// The `host` of a rule: which hosts, and at which port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HostPattern {
    name: HostName,
    /// Without one, an allow covers the default port of the scheme, and a deny or confirm every port.
    port: Option<u16>,
}

/// A host, or all hosts below a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum HostName {
    /// This host only.
    Exact(String),
    /// `*.x`: every host below `x`, not `x` itself. Stored with its leading dot.
    Below(String),
}

impl HostPattern {
    /// Parses the `host` of a rule: a name in any case or script, or `*.suffix`, perhaps with a port; no scheme.
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
        let (name, port) = match name.rsplit_once(':') {
            // The last colon of an address such as `[::1]` is inside its brackets.
            Some((name, port)) if !port.contains(']') => {
                let digits = port.bytes().all(|byte| byte.is_ascii_digit());
                let port = port.parse().ok().filter(|port| digits && *port > 0);
                let hint = "write a number from 1 to 65535 after the colon, such as `example.com:8443`";
                (name, Some(port.ok_or_else(|| fault("has no valid port").hint(hint))?))
            }
            _ => (name, None),
        };
        let host = Host::parse(name).map_err(|_| {
            fault("is not a host").hint("write a name such as `example.com` or `example.com:8443`")
        })?;
        let name = match (below, host) {
            (true, Host::Domain(name)) => HostName::Below(format!(".{}", name.trim_end_matches('.'))),
            (true, _) => return Err(fault("puts `*.` before an address").hint("write the address itself")),
            (false, Host::Domain(name)) => HostName::Exact(name.trim_end_matches('.').into()),
            (false, address) => HostName::Exact(address.to_string()),
        };
        Ok(HostPattern { name, port })
    }

    fn covers_name(&self, host: &str) -> bool {
        match &self.name {
            HostName::Exact(name) => host == name,
            HostName::Below(suffix) => host.len() > suffix.len() && host.ends_with(suffix.as_str()),
        }
    }

    /// Whether the rule matches a target.
    pub(crate) fn fit(&self, target: &HostTarget, wide: bool) -> MatchResult {
        match target {
            HostTarget::Unknown => MatchResult::Unknown,
            HostTarget::OtherField => MatchResult::No,
            HostTarget::Plain(address) if !wide => MatchResult::of(self.allows(address)),
            HostTarget::Doubtful(_) | HostTarget::Ambiguous(_) if !wide => MatchResult::No,
            HostTarget::Ambiguous(address) if !self.covers_name(&address.host) => MatchResult::Unknown,
            HostTarget::Plain(address) | HostTarget::Doubtful(address) | HostTarget::Ambiguous(address) => {
                self.touches(address)
            }
        }
    }

    /// Whether an allow covers an address: the default port unless the rule names one, and no user info, which some
    /// readers take for the host.
    fn allows(&self, address: &Address) -> bool {
        let at_port = match self.port {
            Some(port) => address.port.or(address.default_port) == Some(port),
            None => address.port.is_none(),
        };
        self.covers_name(&address.host) && at_port && !address.user_info
    }

    /// Whether a deny or confirm covers an address.
    fn touches(&self, address: &Address) -> MatchResult {
        let covered = self.covers_name(&address.host);
        match (self.port, address.port.or(address.default_port)) {
            (Some(port), Some(found)) => MatchResult::of(covered && port == found),
            (Some(_), None) if covered => MatchResult::Unknown,
            _ => MatchResult::of(covered),
        }
    }
}

/// The part of a URL that says where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    host: String,
    /// The port, if it is given and not the default of the scheme.
    port: Option<u16>,
    /// The default port of the scheme, if the URL has a known one.
    default_port: Option<u16>,
    /// Whether the URL has a user name or a password.
    user_info: bool,
}

/// The host a call would contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostTarget {
    /// From a plain http or https URL.
    Plain(Address),
    /// The likely host, if a scheme is added or ignored.
    Doubtful(Address),
    /// Parsers disagree about the host: one reads this host, another could read a different one
    /// (`http://a\\@b/`).
    Ambiguous(Address),
    /// The input has a field with an unknown meaning, such as a proxy or a second address.
    OtherField,
    /// The host is unknown.
    Unknown,
}

impl HostTarget {
    pub(crate) fn of(text: &str) -> HostTarget {
        let plain = !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\');
        let parsed = Url::parse(text);
        let web = parsed.as_ref().is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        let url = match parsed {
            Ok(url) if url.has_host() => Some((url, true)),
            // `example.com/x`: some tools add the scheme themselves.
            _ => Url::parse(&format!("https://{}", text.trim())).ok().map(|url| (url, false)),
        };
        let address = url.and_then(|(url, has_scheme)| {
            let host = url.host_str()?.trim_end_matches('.').to_owned();
            let default_port = if web && has_scheme { url.port_or_known_default() } else { None };
            let user_info = !url.username().is_empty() || url.password().is_some();
            (!host.is_empty()).then(|| Address { host, port: url.port(), default_port, user_info })
        });
        match address {
            Some(address) if plain && web => HostTarget::Plain(address),
            Some(address) if plain => HostTarget::Doubtful(address),
            Some(address) => HostTarget::Ambiguous(address),
            None => HostTarget::Unknown,
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

/// Fields of web tools that say nothing about where a request goes.
const PLAIN_FIELDS: [&str; 3] = ["format", "max_length", "timeout"];

/// Adds what fields with an unknown meaning may name: denies and confirms match it, and no allow covers it.
fn other_fields(tool: &Tool, input: &Value, targets: &mut Vec<HostTarget>) {
    let fields = input.as_object().into_iter().flatten();
    let is_known = |key: &str| {
        PLAIN_FIELDS.contains(&key) || tool.target_fields.iter().any(|place| place.field() == key)
    };
    for (_, value) in fields.filter(|(key, _)| !is_known(key)) {
        each_text(value, &mut |text| {
            if text.contains(char::is_whitespace) {
                prose_hosts(text, targets);
            } else if let target @ (HostTarget::Plain(_)
            | HostTarget::Doubtful(_)
            | HostTarget::Ambiguous(_)) = HostTarget::of(text)
            {
                targets.push(target);
            }
        });
        targets.push(HostTarget::OtherField);
    }
}

/// Every text in a value, names of fields included.
fn each_text(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => found(text),
        Value::Array(values) => values.iter().for_each(|value| each_text(value, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            found(key);
            each_text(value, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
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
    other_fields(tool, input, &mut targets);
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
        check("example.com", "https://EXAMPLE.com/x", false, MatchResult::Yes);
        check("Example.COM", "https://example.com./x", false, MatchResult::Yes);
        check("bücher.example", "https://xn--bcher-kva.example/", false, MatchResult::Yes);
        check("example.com", "https://example.com@evil.test/", false, MatchResult::No);
        check("example.com", "https://notexample.com/", false, MatchResult::No);
        check("*.example.com", "https://a.b.example.com/", false, MatchResult::Yes);
        check("*.example.com", "https://example.com/", false, MatchResult::No);
        check("*.example.com", "https://evilexample.com/", false, MatchResult::No);
        check("127.0.0.1", "http://0x7f.1/", false, MatchResult::Yes);
        check("[::1]", "http://[0:0::1]:80/", false, MatchResult::Yes);
    }

    #[test]
    fn allow_covers_the_default_port_or_the_one_it_names() {
        check("example.com", "https://example.com:443/", false, MatchResult::Yes);
        check("example.com", "http://example.com:80/", false, MatchResult::Yes);
        check("example.com", "http://example.com:443/", false, MatchResult::No);
        check("example.com", "https://example.com:8443/", false, MatchResult::No);
        check("example.com:8443", "https://example.com:8443/", false, MatchResult::Yes);
        check("*.example.com:8443", "https://a.example.com:8443/", false, MatchResult::Yes);
        check("example.com:8443", "https://example.com/", false, MatchResult::No);
        check("example.com:443", "https://example.com/", false, MatchResult::Yes);
        check("example.com:443", "http://example.com/", false, MatchResult::No);
        check("[::1]:8080", "http://[::1]:8080/", false, MatchResult::Yes);
    }

    #[test]
    fn deny_covers_every_port_or_the_one_it_names() {
        check("example.com", "https://example.com:8443/", true, MatchResult::Yes);
        check("example.com:8443", "https://example.com:8443/", true, MatchResult::Yes);
        check("example.com:8443", "https://example.com/", true, MatchResult::No);
        check("example.com:443", "https://example.com/", true, MatchResult::Yes);
        check("example.com:443", "example.com/", true, MatchResult::Unknown);
        check("example.com:443", "example.com:443/", true, MatchResult::Unknown);
    }

    #[test]
    fn allow_covers_no_user_info() {
        for url in ["https://user@example.com/", "https://user:pw@example.com/", "https://:pw@example.com/"] {
            check("example.com", url, false, MatchResult::No);
            check("example.com", url, true, MatchResult::Yes);
        }
        check("example.com", "https://user:pw@evil.test@example.com/", false, MatchResult::No);
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
        for text in [
            "https://x.com",
            "x.com/y",
            "a*.com",
            "x.com:0",
            "x.com:",
            "x.com:x",
            "x.com:65536",
            "x.com:-1",
            "x.com:+1",
            "*.1.2.3.4",
            "a b",
            "",
        ] {
            assert!(HostPattern::new(text).is_err(), "{text}");
        }
    }
}
