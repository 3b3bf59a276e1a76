//! Random words for the grammar's scripts.

use super::grammar_scripts::GrammarScript;

const LITERAL: &[&str] = &["a", "b1", "-x", "--y=z", "c.d", "é", "e=f", "g:h", "i,j", "%", "+", "@", "^"];
const SINGLE: &[&str] = &["'a b'", "'$(m9)'", "''", "'\\'", "'#'", "';'", "'\n'"];
const ESCAPED: &[&str] = &["\\ ", "\\;", "\\$x", "\\\"", "\\'", "\\\\", "\\#", "\\|", "\\é", "\\`", "\\{"];
const ANSI: &[&str] =
    &["$'a\\tb'", "$'\\'m9'", "$'\\x41\\102'", "$'\\u0043'", "$'\\q\\\\'", "$\"d e\"", "$'#'"];
const PLAIN: &[&str] = &["$x", "$y", "$e", "${x}", "${y}", "$1", "$#", "$$x", "$@", "${#x}", "$?", "$"];
const OPERATOR: &[&str] = &[
    "${e:-k}",
    "${x%a}",
    "${x/a/b}",
    "${e:-$y}",
    "${x:+p q}",
    "${e:-$(m4 z)}",
    "${x^^}",
    "${y##* }",
    "${e:-#}",
    "${e-a #b}",
];
const PATTERN: &[&str] = &["*", "?", "[ab]", "[a-c]*", "[", "]", "[!x]", "[[:alpha:]]", "b[", "[a\\]]", "a]"];
const BRACES: &[&str] =
    &["{a,b}", "{1..3}", "x{,y}", "{a,{b,c}}", "{}", "{a}", "a{b,c}d", "{a,b", "a,b}", "{'a,b',c}", "{c..a}"];
const TILDE: &[&str] = &["~", "~+", "a~", "~x", "k=~", "k=a:~", "~\"b\"", ":~", "--k=~"];
const OTHER: &[&str] =
    &["$((1+2))", "$(( 3 * (4 - 1) ))", "$[1+1]", "$((x+1))", "#", "a#b", "!", "=", "{", "}"];
const IN_DOUBLE_QUOTES: &[&str] = &[
    "a ", "it's", "\\\"", "\\$", "\\\\", "$x", "${y}", "\\`", "\\a", "#", ";", "\n", "$", "~", "*",
    "${e:-k}", "$((2+2))", "\\\n",
];

impl GrammarScript<'_> {
    pub(super) fn word(&mut self) {
        for _ in 0..=self.random.below(3).saturating_sub(1) {
            self.part();
        }
    }

    fn part(&mut self) {
        match self.random.below(16) {
            0..=2 => self.choose(LITERAL),
            3 => self.choose(SINGLE),
            4 | 5 => self.double_quoted(),
            6 => self.choose(ESCAPED),
            7 => self.choose(ANSI),
            8 => self.choose(PLAIN),
            9 => self.choose(OPERATOR),
            10 | 11 => self.substitution(),
            12 => self.choose(PATTERN),
            13 => self.choose(BRACES),
            14 => self.choose(TILDE),
            _ => self.choose(OTHER),
        }
    }

    fn double_quoted(&mut self) {
        self.put("\"");
        for _ in 0..self.random.below(3) {
            if self.random.once_in(4) {
                self.substitution();
            } else {
                self.choose(IN_DOUBLE_QUOTES);
            }
        }
        self.put("\"");
    }

    fn substitution(&mut self) {
        if self.depth > 2 && self.random.once_in(2) || self.depth > 3 {
            return self.choose(&["$(m5)", "`m6 a`", "$(:)"]);
        }
        match self.random.below(5) {
            0 => {
                let outer = std::mem::take(&mut self.out);
                let waiting = std::mem::take(&mut self.bodies);
                self.depth += 1;
                self.list();
                self.depth -= 1;
                if !self.bodies.is_empty() {
                    self.newline();
                }
                let inner = std::mem::replace(&mut self.out, outer);
                self.bodies = waiting;
                self.put("`");
                self.put(
                    &inner
                        .replace('\\', "\\\\")
                        .replace('`', "\\`")
                        .replace('$', if self.depth.is_multiple_of(2) { "\\$" } else { "$" }),
                );
                self.put("`");
            }
            kind => {
                self.put(if kind == 1 && !self.out.ends_with('"') { "<(" } else { "$(" });
                let waiting = std::mem::take(&mut self.bodies);
                self.choose(&["", "", " ", "\n", "# c\n"]);
                self.list();
                if !self.bodies.is_empty() {
                    self.newline();
                }
                self.bodies = waiting;
                self.choose(&["", "", " ", "\n", ";"]);
                self.put(")");
            }
        }
    }
}
