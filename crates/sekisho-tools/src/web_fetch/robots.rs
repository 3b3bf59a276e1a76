//! Reads `robots.txt`: whether a site wants a path to be read by programs.

/// The most rules that are read.
const MAX_RULES: usize = 2000;
/// The longest pattern that is read.
const MAX_PATTERN: usize = 1024;

/// Whether a `robots.txt` permits a path to an agent. The longest rule that matches decides, and at the same length
/// the one that permits.
pub(super) fn permits(robots: &str, agent: &str, path: &str) -> bool {
    let rules = rules_for(robots, agent);
    let decisive = rules
        .iter()
        .filter(|(pattern, _)| matches(pattern, path))
        .max_by_key(|(pattern, permits)| (pattern.len(), *permits));
    decisive.is_none_or(|(_, permits)| *permits)
}

/// The rules of the groups for the agent, or of those for everybody if it has none.
fn rules_for<'r>(robots: &'r str, agent: &str) -> Vec<(&'r str, bool)> {
    let (mut own, mut everybody) = (None, Vec::new());
    let (mut is_own, mut is_everybody, mut in_head) = (false, false, false);
    for line in robots.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        if key == "user-agent" {
            if !in_head {
                (is_own, is_everybody, in_head) = (false, false, true);
            }
            is_own |= value.eq_ignore_ascii_case(agent);
            is_everybody |= value == "*";
            if is_own {
                own.get_or_insert_with(Vec::new);
            }
            continue;
        }
        let permits = match key.as_str() {
            "allow" => true,
            "disallow" => false,
            _ => continue,
        };
        in_head = false;
        if value.is_empty() || value.len() > MAX_PATTERN {
            continue;
        }
        if let Some(own) = own.as_mut().filter(|own| is_own && own.len() < MAX_RULES) {
            own.push((value, permits));
        }
        if is_everybody && everybody.len() < MAX_RULES {
            everybody.push((value, permits));
        }
    }
    own.unwrap_or(everybody)
}

/// Whether a pattern matches the beginning of a path. `*` stands for anything, `$` at the end for the end.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return !is_whole || rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if is_whole && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_paths() {
        for (pattern, path, expected) in [
            ("/", "/a", true),
            ("/a", "/ab", true),
            ("/a/", "/ab", false),
            ("/*.php", "/x/y.php?z", true),
            ("/*.php$", "/x/y.php?z", false),
            ("/*.php$", "/x/y.php", true),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
            ("/a*b*c", "/a-c-b-c", true),
            ("/a*b*c", "/a-c-b", false),
            ("*", "/x", true),
            ("/*a*a*a*a*a*a*a*ab", &format!("/{}", "a".repeat(8000)), false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn longest_rule_of_the_own_group_decides() {
        let robots = "# comment\nUser-agent: other\nDisallow: /\n\nUser-agent: Sekisho\nUser-agent: x\n\
            Disallow: /private # really\nAllow: /private/open\nDisallow:\n\nUser-agent: *\nDisallow: /all\n";
        for (agent, path, expected) in [
            ("sekisho", "/", true),
            ("sekisho", "/private/a", false),
            ("sekisho", "/private/open/a", true),
            ("sekisho", "/all", true),
            ("other", "/all", false),
            ("nobody", "/all", false),
            ("nobody", "/private", true),
        ] {
            assert_eq!(permits(robots, agent, path), expected, "{agent} {path}");
        }
        assert!(permits("", "sekisho", "/x"));
        assert!(permits("Disallow: /", "sekisho", "/x"), "a rule without a group counts for nobody");
        assert!(permits("User-agent: *\nDisallow: /a\nAllow: /a", "sekisho", "/a"));
        assert!(!permits("User-agent: sekisho\nUser-agent: *\nDisallow: /", "sekisho", "/a"));
    }
}
