//! Scripts from a grammar, from everyday commands, and damaged ones of both kinds.

/// A small deterministic generator (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit.max(1)
    }

    /// True once in `odds`.
    pub(crate) fn once_in(&mut self, odds: usize) -> bool {
        self.below(odds) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

/// One script.
pub(crate) fn script(random: &mut Random) -> String {
    let mut text = if random.once_in(4) { everyday(random) } else { from_grammar(random) };
    if random.once_in(2) {
        for _ in 0..=random.below(3) {
            damage(random, &mut text);
        }
    }
    // Without a slash nothing outside the directory can be named, let alone run.
    text.replace(['/', '\0'], "_")
}

const EVERYDAY: &str = include_str!("everyday.txt");

fn everyday(random: &mut Random) -> String {
    let lines: Vec<&str> = EVERYDAY.lines().collect();
    let mut text = random.pick(&lines).replace("\\n", "\n");
    if random.once_in(3) {
        text.push_str(random.pick(&["; ", " | ", " && ", "\n", " & ", " || "]));
        text.push_str(&random.pick(&lines).replace("\\n", "\n"));
    }
    text
}

const FRAGMENTS: [&str; 62] = [
    "'", "\"", "\\", "$", "`", "(", ")", "{", "}", "<", ">", "|", "&", ";", "\n", " ", "#", "~", "=", "*",
    "[", "]", "!", "\\\n", "$(", "${", "$((", "))", "<(", ">(", "<<", "<<<", "<<-", "&&", "||", "|&", "&>",
    ">&", ">|", "<>", "2>", "{fd}>", "$'", "$\"", " m7 ", "; m8", "\nm9", "x=", "x=(", "x[0]=", "[[ ", " ]]",
    "((", "if ", "then ", "do ", "done", "esac", "in ", "time ", "! ", "EOF",
];

/// Inserts, removes, doubles or moves a little.
fn damage(random: &mut Random, text: &mut String) {
    let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let at = boundaries[random.below(boundaries.len())];
    match random.below(4) {
        0 => {
            if at < text.len() {
                text.remove(at);
            }
        }
        1 => {
            let to = boundaries[random.below(boundaries.len())];
            let part = text[at.min(to)..at.max(to)].to_owned();
            let limit = part.char_indices().nth(12).map_or(part.len(), |(limit, _)| limit);
            text.insert_str(at, &part[..limit]);
        }
        2 => text.insert_str(at, "\\\n"),
        _ => text.insert_str(at, FRAGMENTS[random.below(FRAGMENTS.len())]),
    }
}

fn from_grammar(random: &mut Random) -> String {
    let mut writer = Writer { random, out: String::new(), bodies: Vec::new(), depth: 0 };
    writer.list();
    if !writer.bodies.is_empty() {
        writer.newline();
    }
    writer.out
}

struct Writer<'r> {
    random: &'r mut Random,
    out: String,
    /// Here-documents to write after the next newline.
    bodies: Vec<String>,
    depth: usize,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn choose(&mut self, choices: &[&str]) {
        let choice = self.random.pick(choices);
        self.out.push_str(choice);
    }

    fn newline(&mut self) {
        self.put("\n");
        for body in std::mem::take(&mut self.bodies) {
            self.put(&body);
        }
    }

    fn list(&mut self) {
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

    fn word(&mut self) {
        for _ in 0..=self.random.below(3).saturating_sub(1) {
            self.part();
        }
    }

    fn part(&mut self) {
        match self.random.below(16) {
            0..=2 => {
                self.choose(&["a", "b1", "-x", "--y=z", "c.d", "é", "e=f", "g:h", "i,j", "%", "+", "@", "^"])
            }
            3 => self.choose(&["'a b'", "'$(m9)'", "''", "'\\'", "'#'", "';'", "'\n'"]),
            4 | 5 => self.double_quoted(),
            6 => {
                self.choose(&["\\ ", "\\;", "\\$x", "\\\"", "\\'", "\\\\", "\\#", "\\|", "\\é", "\\`", "\\{"])
            }
            7 => self.choose(&[
                "$'a\\tb'",
                "$'\\'m9'",
                "$'\\x41\\102'",
                "$'\\u0043'",
                "$'\\q\\\\'",
                "$\"d e\"",
                "$'#'",
            ]),
            8 => {
                self.choose(&["$x", "$y", "$e", "${x}", "${y}", "$1", "$#", "$$x", "$@", "${#x}", "$?", "$"])
            }
            9 => self.choose(&[
                "${e:-k}",
                "${x%a}",
                "${x/a/b}",
                "${e:-$y}",
                "${x:+p q}",
                "${e:-$(m4 z)}",
                "${x^^}",
            ]),
            10 | 11 => self.substitution(),
            12 => self.choose(&[
                "*",
                "?",
                "[ab]",
                "[a-c]*",
                "[",
                "]",
                "[!x]",
                "[[:alpha:]]",
                "b[",
                "[a\\]]",
                "a]",
            ]),
            13 => self.choose(&[
                "{a,b}",
                "{1..3}",
                "x{,y}",
                "{a,{b,c}}",
                "{}",
                "{a}",
                "a{b,c}d",
                "{a,b",
                "a,b}",
                "{'a,b',c}",
                "{c..a}",
            ]),
            14 => self.choose(&["~", "~+", "a~", "~x", "k=~", "k=a:~", "~\"b\"", ":~", "--k=~"]),
            _ => self.choose(&[
                "$((1+2))",
                "$(( 3 * (4 - 1) ))",
                "$[1+1]",
                "$((x+1))",
                "#",
                "a#b",
                "!",
                "=",
                "{",
                "}",
            ]),
        }
    }

    fn double_quoted(&mut self) {
        self.put("\"");
        for _ in 0..self.random.below(3) {
            if self.random.once_in(4) {
                self.substitution();
            } else {
                self.choose(&[
                    "a ", "it's", "\\\"", "\\$", "\\\\", "$x", "${y}", "\\`", "\\a", "#", ";", "\n", "$",
                    "~", "*", "${e:-k}", "$((2+2))", "\\\n",
                ]);
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
                        .replace('$', if self.depth % 2 == 0 { "\\$" } else { "$" }),
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
