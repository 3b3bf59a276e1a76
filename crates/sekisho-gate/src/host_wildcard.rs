//! Whether a host names exactly one host, without wildcards.

/// Whether a host in a rule matches only itself. In `https://*.com/` the caller would have chosen a
/// wildcard.
pub(crate) fn is_one_host(host: &str) -> bool {
    let of_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let of_address = |c: char| c.is_ascii_hexdigit() || ":.".contains(c);
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.chars().all(of_address),
        None => !host.is_empty() && host.chars().all(of_name),
    }
}
