//! Random scripts from a grammar.

use super::script_generator::Random;

/// One script.
pub(super) fn script(random: &mut Random) -> String {
    let mut writer = GrammarScript { random, out: String::new(), bodies: Vec::new(), depth: 0 };
    writer.list();
    if !writer.bodies.is_empty() {
        writer.newline();
    }
    writer.out
}

pub(super) struct GrammarScript<'r> {
    pub(super) random: &'r mut Random,
    pub(super) out: String,
    /// Here-documents to write after the next newline.
    pub(super) bodies: Vec<String>,
    pub(super) depth: usize,
}

impl GrammarScript<'_> {
    pub(super) fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn choose(&mut self, choices: &[&str]) {
        let choice = self.random.pick(choices);
        self.out.push_str(choice);
    }

    pub(super) fn newline(&mut self) {
        self.put("\n");
        for body in std::mem::take(&mut self.bodies) {
            self.put(&body);
        }
    }

    pub(super) fn list(&mut self) {
        self.depth += 1;
        let commands = 1 + self.random.below(if self.depth > 1 { 2 } else { 3 });
        for index in 0..commands {
            if index > 0 {
                match self.random.below(6) {
                    0 | 1 => self.choose(&["; ", ";", " ; "]),
                    2 | 3 => self.newline(),
                    4 => self.choose(&[" & ", "&"]),
                    _ => {
                        self.choose(&[" # note", " # it's", "; # $(m9)"]);
                        self.newline();
                    }
                }
            }
            self.and_or();
        }
        self.depth -= 1;
    }

    fn and_or(&mut self) {
        self.pipeline();
        while self.random.once_in(5) {
            self.choose(&[" && ", "||", " || ", "&&"]);
            if self.random.once_in(5) {
                self.newline();
            }
            self.pipeline();
        }
    }

    fn pipeline(&mut self) {
        if self.random.once_in(12) {
            self.choose(&["! ", "time ", "time -p ", "! time "]);
        }
        self.command();
        while self.random.once_in(6) {
            self.choose(&[" | ", "|", " |& "]);
            if self.random.once_in(6) {
                self.newline();
            }
            self.command();
        }
    }

    fn command(&mut self) {
        if self.depth > 3 || !self.random.once_in(4) {
            return self.simple();
        }
        self.compound();
        if self.random.once_in(5) {
            self.redirect();
        }
    }

    fn block(&mut self, before: &str, after: &str) {
        self.put(before);
        self.list();
        if self.random.once_in(3) || !self.bodies.is_empty() {
            self.newline();
        } else {
            self.put("; ");
        }
        self.put(after);
    }

    fn compound(&mut self) {
        match self.random.below(11) {
            0 => {
                self.choose(&["(", "( "]);
                self.list();
                self.choose(&[")", " )"]);
            }
            1 => self.block("{ ", "}"),
            2 => {
                self.block("if ", "");
                self.block("then ", "");
                if self.random.once_in(2) {
                    self.block("else ", "");
                }
                self.put("fi");
            }
            3 => {
                self.put("for v in ");
                self.words();
                self.choose(&["; ", "\n"]);
                self.block("do ", "done");
            }
            4 => {
                self.choose(&["while m0; do ", "until m1\ndo "]);
                self.block("", "break; done");
            }
            5 | 6 => self.case(),
            7 => {
                self.choose(&["[[ -n ", "[[ ! -f ", "[[ a == ", "[[ x && -z ", "[[ b < "]);
                self.word();
                self.put(" ]]");
            }
            8 => self.choose(&["((1 + 2))", "(( x > 1 ))", "[[ 1 -lt 2 ]]", "[[ $x =~ a ]]", "(( 1 << 2 ))"]),
            9 => self.block("f0() { ", "}; f0"),
            _ => self.block("for v in a b; { ", "}"),
        }
    }

    fn case(&mut self) {
        self.put("case ");
        self.word();
        self.put(" in ");
        for _ in 0..=self.random.below(2) {
            self.choose(&["", "(", "\n"]);
            self.choose(&["a", "*", "a | b", "'a b'", "$x", "[a-z]*", "$(m6)", "\"b c\""]);
            self.choose(&[") ", ")\n", " ) "]);
            self.list();
            if self.bodies.is_empty() {
                self.put(" ");
            } else {
                self.newline();
            }
            self.choose(&[";; ", ";;\n", ";& ", ";;& "]);
        }
        self.put("esac");
    }

    fn simple(&mut self) {
        while self.random.once_in(10) {
            self.choose(&["A=", "B+=", "LC_ALL=", "x="]);
            self.word();
            self.put(" ");
        }
        if self.random.once_in(15) {
            self.redirect();
            self.put(" ");
        }
        self.choose(&[
            "m0",
            "m1",
            "m2",
            "m3",
            "m4",
            "m5",
            "m6",
            "m7",
            "\\m2",
            "'m3'",
            "m\"4\"",
            "m''5",
            "$'m6'",
            "$'\\x6d7'",
        ]);
        self.words();
        while self.random.once_in(6) {
            self.put(" ");
            self.redirect();
        }
    }

    fn words(&mut self) {
        for _ in 0..self.random.below(4) {
            self.choose(&[" ", " ", "  ", "\t", " \\\n"]);
            self.word();
        }
    }

    fn redirect(&mut self) {
        match self.random.below(8) {
            0 => self.choose(&["2>&1", ">&2", "2>&-", "<&-", "3>&1", "1>&2"]),
            1 => self.choose(&["<<<", "<<< "]),
            2 | 3 => return self.here_document(),
            _ => {
                self.choose(&[">", "> ", ">>", "2>", "2> ", "&>", ">|", "&>>", "3<>", ">& ", "<"]);
                self.choose(&["o1", "'o 2'", "\"o3\"", "o\\ 4", "o$x", "o{5}", "$'o\\t6'"]);
                return;
            }
        }
        if self.out.ends_with(['<', ' ']) {
            self.word();
        }
    }

    fn here_document(&mut self) {
        let (delimiter, end) = *self.random.pick(&[
            &("EOF", "EOF"),
            &("'EOF'", "EOF"),
            &("\"E F\"", "E F"),
            &("\\END", "END"),
            &("E-1", "E-1"),
        ]);
        let strip = self.random.once_in(3);
        self.put(if strip { "<<-" } else { "<<" });
        self.choose(&["", " "]);
        self.put(delimiter);
        let outer = std::mem::take(&mut self.out);
        let waiting = std::mem::take(&mut self.bodies);
        for _ in 0..self.random.below(3) {
            self.choose(&[
                "text ", "it's ", "\"q\" ", "a\\$b ", "$x ", "\tt ", "`m7 b` ", "(", "\\\\ ", "EOF2 ",
            ]);
            if self.depth < 4 && self.random.once_in(3) {
                self.put("$(");
                self.depth += 2;
                self.simple();
                self.depth -= 2;
                if !self.bodies.is_empty() {
                    self.newline();
                }
                self.put(")");
            }
            self.put("\n");
        }
        let body = std::mem::replace(&mut self.out, outer);
        self.bodies = waiting;
        self.bodies.push(format!("{body}{}{end}\n", if strip { "\t" } else { "" }));
    }
}
