//! Arithmetic. Bash evaluates names in it, and subscripts of names, which can run commands. Only numbers and
//! operators are known to be harmless.

use super::word_builder::WordBuilder;
use super::{ParseStopped, Parsed, Parser};
use crate::script::OpaqueKind;

impl Parser<'_, '_> {
    /// `((…))` as a command.
    pub(super) fn arithmetic_command(&mut self) -> Parsed<()> {
        let start = self.cur.pos();
        self.nest()?;
        self.cur.bump();
        self.cur.bump();
        self.operator("((");
        let known = self.arithmetic(b')', true)?;
        self.unnest();
        self.operator("))");
        if !known {
            self.mark_opaque(start, OpaqueKind::Arithmetic);
        }
        self.redirects()
    }

    /// Parses an expression up to `close` (doubled if `double`), including the expansions in it. Returns
    /// whether it contains only numbers and operators.
    ///
    /// If a doubled parenthesis is not closed by a doubled one, bash backtracks and reads subshells; the
    /// parser stops.
    pub(super) fn arithmetic(&mut self, close: u8, double: bool) -> Parsed<bool> {
        let open = if close == b')' { b'(' } else { b'[' };
        let mut known = true;
        let mut depth = 0_usize;
        let mut scratch = WordBuilder::new(self.cur.pos());
        loop {
            let Some(byte) = self.cur.at() else { return Err(ParseStopped) };
            match byte {
                _ if byte == close && depth == 0 => {
                    self.cur.bump();
                    if double {
                        self.expect(close)?;
                    }
                    return Ok(known);
                }
                _ if byte == close => depth -= 1,
                _ if byte == open => depth += 1,
                b'0'..=b'9'
                | b' '
                | b'\t'
                | b'\n'
                | b'+'
                | b'-'
                | b'*'
                | b'/'
                | b'%'
                | b'<'
                | b'>'
                | b'=' => {}
                b'!' | b'&' | b'|' | b'^' | b'~' | b'?' | b':' | b',' | b'(' | b')' => {}
                b'$' => {
                    known = false;
                    self.dollar(&mut scratch, true)?;
                    continue;
                }
                b'`' => {
                    known = false;
                    self.backticks(&mut scratch, true)?;
                    continue;
                }
                b'"' => {
                    known = false;
                    self.double_quoted(&mut scratch)?;
                    continue;
                }
                b'\'' | b'\\' | b'{' | b'}' => return Err(ParseStopped),
                _ => known = false,
            }
            self.cur.bump();
        }
    }
}
