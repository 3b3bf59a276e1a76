//! Subscripts of names that are values: `[[ -v $x ]]`, `printf -v "$x"`, `unset "$x"`. Bash evaluates what is in the
//! brackets, with the substitutions in it.

use super::shell::Shell;
use super::variables::is_name;

impl Shell<'_> {
    /// Follows the subscript of a name, if it has one.
    pub(super) fn follow_subscript(&mut self, name: &str) {
        let inside = name.strip_suffix(']').and_then(|name| name.split_once('['));
        if let Some((base, index)) = inside.filter(|(base, _)| is_name(base)) {
            self.follow_index(base, index);
        }
    }

    /// Follows a subscript that is not a plain key.
    pub(super) fn follow_index(&mut self, base: &str, index: &str) {
        let is_plain = index.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '*' | '-'));
        if is_plain && (!is_name(index) || self.variables().get(index).is_none()) {
            return;
        }
        if !self.variables().has_attribute(base, 'A') {
            self.arithmetic(index);
        }
    }
}
