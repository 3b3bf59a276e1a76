//! Loops over the names of all variables: `for v in ${!A*} ${!B*}; do echo "${!v}"; done`.

/// A longer prefix chooses the variables of one program.
const LONGEST_PREFIX: usize = 2;

/// Whether a text has the names of variables with a short prefix, and shows values of variables by their names.
pub(super) fn shows_variables(text: &str) -> bool {
    let shows_by_name = text.contains("declare -p") || text.contains("typeset -p");
    let (mut has_list, mut shows_value) = (generates_names(text), shows_by_name);
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

/// How far a command is read, in characters.
const LONGEST_COMMAND: usize = 256;

/// `compgen -v`, `compgen -A variable`, without a longer prefix.
fn generates_names(text: &str) -> bool {
    text.match_indices("compgen").any(|(at, name)| {
        let rest = text.get(at + name.len()..).unwrap_or_default();
        let end = rest.char_indices().nth(LONGEST_COMMAND).map_or(rest.len(), |(end, _)| end);
        let command = rest.get(..end).unwrap_or_default();
        let command = command.split([';', '|', '&', ')', '\n', '`']).next().unwrap_or_default();
        let (mut lists, mut prefix) = (false, "");
        for word in command.split_whitespace() {
            let bare = word.trim_matches(['"', '\'']);
            match bare.strip_prefix('-') {
                Some("Avariable") => lists = true,
                // Letters behind a large one are its value.
                Some(letters) => {
                    let flags = letters.split(|c: char| c.is_ascii_uppercase()).next().unwrap_or_default();
                    lists |= flags.contains('v') && !flags.starts_with('-');
                }
                None if bare == "variable" => lists = true,
                None => prefix = bare,
            }
        }
        lists && prefix.len() <= LONGEST_PREFIX
    })
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
            ("for v in $(compgen -v); do echo \"$v=${!v}\"; done", true),
            ("compgen -A variable | while read -r v; do echo ${!v}; done", true),
            ("compgen -v P | while read v; do echo ${!v}; done", true),
            ("for v in $(compgen -v APP_); do echo ${!v}; done", false),
            ("compgen -v", false),
            ("for v in $(compgen -A function); do echo ${!v}; done", false),
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
