//! Loops over the names of all variables: `for v in ${!A*} ${!B*}; do echo "${!v}"; done`.

/// A longer prefix chooses the variables of one program.
const LONGEST_PREFIX: usize = 2;

/// Whether a text has the names of variables with a short prefix, and shows values of variables by their names.
pub(super) fn shows_variables(text: &str) -> bool {
    let (mut has_list, mut shows_value) = (false, text.contains("declare -p") || text.contains("typeset -p"));
    for (at, opening) in text.match_indices("${!") {
        let rest = text.get(at + opening.len()..).unwrap_or_default();
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, after) =
            rest.split_at_checked(rest.find(|c: char| !is_letter(c)).unwrap_or_default()).unwrap_or_default();
        has_list |= (1..=LONGEST_PREFIX).contains(&name.len())
            && (after.starts_with("*}") || after.starts_with("@}"));
        shows_value |= !name.is_empty() && after.starts_with('}');
    }
    has_list && shows_value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_over_all_names_are_told_from_others() {
        for (text, expected) in [
            ("for v in ${!A*}; do echo ${!v}; done", true),
            ("for v in \"${!P@}\"; do echo \"$v=${!v}\"; done", true),
            ("declare -p ${!A*}", true),
            ("for v in ${!APP_*}; do echo ${!v}; done", false),
            ("for i in ${!a[@]}; do echo ${a[$i]}; done", false),
            ("echo ${!A*}", false),
            ("echo ${!v}", false),
            ("${!", false),
        ] {
            assert_eq!(shows_variables(text), expected, "{text}");
        }
    }
}
