//! What zsh reads otherwise than bash.
//!
//! Some agents run their text with zsh, and a text does not say which shell runs it. Where zsh reads more into it than bash
//! does, the value is unknown, or the part is opaque if zsh could run a command there. Glob qualifiers, parameter flags and
//! the other forms with parentheses or braces are no bash at all and do not get here.

use super::Parser;
use crate::cursor::{Cursor, begins_name, is_meta};
use crate::script::{OpaqueKind, OpaquePart, RedirectKind, ScriptItem};
use crate::word::{Piece, Word};

/// The letters and signs of zsh's modifiers that work on a parameter (`$f:h`, `$f:s/a/b/`).
const MODIFIERS: &[u8] = b"aAcehlPqQrstu&";

impl Parser<'_, '_> {
    /// The piece of a parameter without braces that has just been read, and began at `start`. A subscript behind it
    /// (`$f[…]`) and a repeated modifier (`$f:F:…:h`) are arithmetic to zsh, which can run commands that a variable holds.
    pub(super) fn parameter_piece(&mut self, start: usize, piece: Piece, quoted: bool) -> Piece {
        if !is_modified(self.cur, quoted) {
            return piece;
        }
        self.mark_opaque(start, OpaqueKind::Expansion);
        Piece::Unknown { quoted }
    }

    /// Whether `$=x`, `$~x`, `$^x`, `$+x` or a name with letters outside ASCII begins here, behind the dollar sign: bash keeps
    /// it, zsh expands it. `$=`, `$~` and `$^` without a name are empty to zsh.
    pub(super) fn is_flagged_parameter(&self) -> bool {
        let mut ahead = self.cur;
        match ahead.at() {
            Some(b'=' | b'~' | b'^') => return true,
            Some(byte) if !byte.is_ascii() => return true,
            _ => {}
        }
        let mut is_flagged = false;
        while matches!(ahead.at(), Some(b'=' | b'~' | b'^' | b'+')) {
            ahead.bump();
            is_flagged = true;
        }
        let begins = |byte| begins_name(byte) || byte.is_ascii_digit() || b"?#@*$!-{[(".contains(&byte);
        is_flagged && ahead.at().is_some_and(begins)
    }

    /// Whether a parameter follows the `#` of `$#` here: bash counts the arguments, zsh the letters of a value.
    pub(super) fn names_after_count(&self) -> bool {
        let names = |byte: u8| byte.is_ascii_alphanumeric() || b"_$?@*!#{~=+^-".contains(&byte);
        self.cur.second().is_some_and(names)
    }

    /// Whether zsh replaces the word or value that begins with `=` here by the path of a program.
    pub(super) fn is_program_path(&self) -> bool {
        self.cur.at() == Some(b'=')
            && self.cur.second().is_some_and(|byte| !is_meta(byte) && !matches!(byte, b'=' | b'~'))
    }

    /// `<1-9>` is a pattern of zsh for numbers. Marks the redirect that has just been read if it is one.
    pub(super) fn mark_number_pattern(&mut self, start: usize, symbol: &str, target: &Word) {
        let is_range = |text: &str| {
            text.split_once('-').is_some_and(|(from, to)| {
                [from, to].iter().all(|end| end.bytes().all(|byte| byte.is_ascii_digit()))
            })
        };
        if symbol == "<"
            && self.cur.at() == Some(b'>')
            && target.literal().is_some_and(|text| is_range(&text))
        {
            self.mark_opaque(start, OpaqueKind::Redirect);
        }
    }

    /// Marks the last redirect of the command that has just been read if zsh gives it several inputs one after the other,
    /// where bash takes only the last. `piped`: it also reads a pipe.
    pub(super) fn mark_joined_inputs(&mut self, piped: bool) {
        let script = &mut self.out.script;
        let redirects = script.items.iter().rev().map_while(|item| match item {
            ScriptItem::Redirect(at) => script.redirects.get(*at),
            _ => None,
        });
        let mut inputs = redirects.filter(|redirect| {
            matches!(
                redirect.kind,
                RedirectKind::Read | RedirectKind::HereDocument | RedirectKind::HereString
            )
        });
        let Some(last) = inputs.next().map(|redirect| redirect.span) else { return };
        if piped || inputs.next().is_some() {
            script.opaque.push(OpaquePart { span: last, kind: OpaqueKind::Redirect });
        }
    }
}

/// Whether a subscript or a modifier of zsh follows a parameter, or more of its name.
fn is_modified(mut ahead: Cursor<'_>, quoted: bool) -> bool {
    match ahead.at() {
        Some(b'[') => return true,
        Some(b':') => ahead.bump(),
        // Names may have letters of any language.
        Some(byte) if !byte.is_ascii() => {
            let rest = ahead.slice(ahead.pos(), ahead.text().len());
            return rest.chars().next().is_some_and(char::is_alphanumeric);
        }
        _ => return false,
    }
    while matches!(ahead.at(), Some(b'g' | b'f' | b'w')) {
        ahead.bump();
    }
    match ahead.at() {
        // Any character may delimit the count or the separator.
        Some(b'F' | b'W') => {
            ahead.second().is_some_and(|next| if quoted { next != b'"' } else { !is_meta(next) })
        }
        Some(byte) => MODIFIERS.contains(&byte),
        None => false,
    }
}
