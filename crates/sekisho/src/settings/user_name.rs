//! The name of the user who runs sekisho, as records and the page show it.

/// The system's list of users.
const USERS: &str = "/etc/passwd";

/// The name the shell gave, or the one the system knows the user by. Services and containers often have no `USER`.
pub(super) fn name_of(said: Option<String>, uid: u32) -> String {
    said.or_else(|| in_list(&std::fs::read_to_string(USERS).ok()?, uid))
        .unwrap_or_else(|| format!("uid {uid}"))
}

/// The name of a user in a text like that of `/etc/passwd`.
fn in_list(list: &str, uid: u32) -> Option<String> {
    list.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number.parse() == Ok(uid) && !name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_a_name_without_a_variable() {
        assert_eq!(name_of(Some("mai".into()), 0), "mai");
        let list =
            "# users\nroot:x:0:0:root:/root:/bin/sh\nmai:x:1000:1000::/home/mai:/bin/bash\n:x:7:7::/:\n";
        assert_eq!(in_list(list, 1000).as_deref(), Some("mai"));
        assert_eq!(in_list(list, 0).as_deref(), Some("root"));
        assert_eq!(in_list(list, 7), None);
        assert_eq!(in_list(list, 100), None);
        assert_eq!(name_of(None, 4_000_000_123), "uid 4000000123");
    }
}
