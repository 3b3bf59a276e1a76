//! The part of awk's language that only reads its input and prints.
//!
//! Everything harmful in awk is a word or an operator: `system`, `getline`, `|`, and `>` after `print`. So the program
//! is split into tokens, and a closed list of words and operators is accepted. What decides is that the tokens are
//! those that awk sees: where a slash could begin a pattern or divide, where a quote is inside a bracket, and wherever
//! implementations differ, the program is refused.

/// Whether a program only reads its input and prints.
pub(super) fn only_prints(program: &str) -> bool {
    let mut tokens = Tokens { rest: program, before: Before::Nothing };
    let mut state = PrintState::default();
    while let Some(token) = tokens.next_token() {
        let Some(token) = token else { return false };
        if !state.admits(&token, &tokens) {
            return false;
        }
    }
    state.blocks == 0
}

/// The strings of a program that may run something: any of them may be a command.
pub(super) fn texts(program: &str) -> Vec<String> {
    const MAX_TEXTS: usize = 16;
    if only_prints(program) {
        return Vec::new();
    }
    let strings = program.split('"').skip(1).step_by(2).filter(|text| !text.trim().is_empty());
    strings.map(str::to_owned).take(MAX_TEXTS).collect()
}

/// Whether a word is `name=value`.
pub(super) fn is_assignment(text: &str) -> bool {
    let Some((name, _)) = text.split_once('=') else { return false };
    !name.is_empty()
        && name.chars().all(is_of_name)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !is_harmful(name)
}

const KEYWORDS: [&str; 13] = [
    "BEGIN", "END", "if", "else", "for", "in", "next", "nextfile", "exit", "delete", "print", "printf",
    "continue",
];

/// Functions that compute and do nothing else.
const FUNCTIONS: [&str; 26] = [
    "length", "substr", "index", "split", "sub", "gsub", "gensub", "match", "toupper", "tolower", "sprintf",
    "int", "sqrt", "exp", "log", "sin", "cos", "atan2", "rand", "srand", "strftime", "systime", "mktime",
    "strtonum", "and", "or",
];

/// Words that run something, open files, define functions, show the environment, choose what is read, or repeat without
/// end.
fn is_harmful(word: &str) -> bool {
    const WORDS: [&str; 24] = [
        "system",
        "getline",
        "close",
        "fflush",
        "function",
        "func",
        "ENVIRON",
        "PROCINFO",
        "SYMTAB",
        "FUNCTAB",
        "ARGV",
        "ARGC",
        "ARGIND",
        "while",
        "do",
        "return",
        "switch",
        "case",
        "BEGINFILE",
        "ENDFILE",
        "eval",
        "include",
        "load",
        "namespace",
    ];
    WORDS.contains(&word)
}

/// What the program is doing at a token.
#[derive(Default)]
struct PrintState {
    /// Inside `print` or `printf`, where `>` outside parentheses opens a file. A line end does not always end it.
    prints: bool,
    /// How many parentheses and brackets are open.
    depth: usize,
    /// How many braces are open.
    blocks: usize,
}

impl PrintState {
    fn admits(&mut self, token: &Token<'_>, tokens: &Tokens<'_>) -> bool {
        match token {
            Token::Word(word) => {
                if is_harmful(word) {
                    return false;
                }
                if matches!(*word, "print" | "printf") {
                    // A second `print` in one statement is not awk.
                    if self.prints {
                        return false;
                    }
                    (self.prints, self.depth) = (true, 0);
                }
                let is_call = tokens.rest.trim_start_matches([' ', '\t']).starts_with('(');
                !is_call || KEYWORDS.contains(word) || FUNCTIONS.contains(word)
            }
            Token::Operator(operator) => {
                match *operator {
                    "(" | "[" => self.depth += 1,
                    ")" | "]" => match self.depth.checked_sub(1) {
                        Some(depth) => self.depth = depth,
                        None => return false,
                    },
                    // A statement does not end inside parentheses, except in the head of `for`.
                    "}" | "{" if self.depth > 0 => return false,
                    "{" => self.blocks += 1,
                    "}" => match self.blocks.checked_sub(1) {
                        Some(blocks) => (self.blocks, self.prints) = (blocks, false),
                        None => return false,
                    },
                    ";" if self.depth == 0 => self.prints = false,
                    ">" | ">>" if self.prints && self.depth == 0 => return false,
                    ">>" => return false,
                    _ => {}
                }
                true
            }
            Token::Value => true,
        }
    }
}

enum Token<'p> {
    /// A name or keyword.
    Word(&'p str),
    Operator(&'p str),
    /// A number, a string or a pattern.
    Value,
}

/// What precedes a slash.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// The start, or an operator after which only a value can follow: a slash begins a pattern.
    Nothing,
    /// A value: a slash divides.
    Value,
    /// Either.
    Unclear,
}

struct Tokens<'p> {
    rest: &'p str,
    before: Before,
}

/// The longest come first.
const OPERATORS: [&str; 41] = [
    "**=", "&&", "||", "++", "--", "+=", "-=", "*=", "%=", "^=", "==", "<=", ">=", "!=", "!~", ">>", "**",
    "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "%", "^", "!", ">", "<", "~", "?", ":", "=", "$",
    "\n", "&", "|",
];

impl<'p> Tokens<'p> {
    /// The next token; `Some(None)` if it is not accepted, `None` at the end.
    fn next_token(&mut self) -> Option<Option<Token<'p>>> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let first = self.rest.chars().next()?;
        Some(match first {
            '"' => self.quoted(),
            '/' => self.slash(),
            '0'..='9' | '.' => self.number(),
            c if c.is_ascii_alphabetic() || c == '_' => Some(self.word()),
            _ => self.operator(),
        })
    }

    fn take(&mut self, length: usize) -> &'p str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn word(&mut self) -> Token<'p> {
        let end = self.rest.find(|c: char| !is_of_name(c)).unwrap_or(self.rest.len());
        let word = self.take(end);
        self.before = match word {
            "print" | "printf" | "BEGIN" | "END" | "else" => Before::Nothing,
            // `length` may stand alone, `in` may precede a pattern.
            _ if KEYWORDS.contains(&word) || FUNCTIONS.contains(&word) => Before::Unclear,
            _ => Before::Value,
        };
        Token::Word(word)
    }

    fn number(&mut self) -> Option<Token<'p>> {
        let end =
            self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(self.rest.len());
        let text = self.take(end);
        self.before = Before::Value;
        let is_number = text.chars().all(|c| c.is_ascii_digit() || c == '.') && text != ".";
        is_number.then_some(Token::Value)
    }

    fn quoted(&mut self) -> Option<Token<'p>> {
        let length = end_of(self.rest.get(1..)?, '"')?;
        self.take(length + 2);
        self.before = Before::Value;
        Some(Token::Value)
    }

    fn slash(&mut self) -> Option<Token<'p>> {
        let line = self.rest.lines().next().unwrap_or_default();
        let divides = match self.before {
            Before::Nothing => false,
            Before::Value => true,
            // No second slash could end a pattern.
            Before::Unclear if line.matches('/').count() == 1 => true,
            Before::Unclear => return None,
        };
        if divides {
            self.before = Before::Nothing;
            let length = if self.rest.starts_with("/=") { 2 } else { 1 };
            return Some(Token::Operator(self.take(length)));
        }
        let length = end_of(self.rest.get(1..)?, '/')?;
        let pattern = self.rest.get(1..1 + length)?;
        if !closes_its_brackets(pattern) {
            return None;
        }
        self.take(length + 2);
        self.before = Before::Value;
        Some(Token::Value)
    }

    fn operator(&mut self) -> Option<Token<'p>> {
        let found = OPERATORS.iter().find(|operator| self.rest.starts_with(**operator))?;
        if matches!(*found, "|" | "&") {
            return None;
        }
        let operator = self.take(found.len());
        self.before = match operator {
            ")" | "++" | "--" => Before::Unclear,
            "]" => Before::Value,
            // `$/x/` is no field.
            "$" => Before::Unclear,
            _ => Before::Nothing,
        };
        Some(Token::Operator(operator))
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether the text of a pattern has no open bracket at its end, however brackets are read. A slash inside a bracket ends the
/// pattern for some implementations and not for others, and they differ in what closes one: after `[` and `[^`, a `]` may be a
/// member, and so may any `[` and an escaped bracket.
fn closes_its_brackets(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some((at, found)) = rest.char_indices().find(|(_, c)| matches!(c, '[' | '\\')) {
        let Some(after) = rest.get(at + 1..) else { return false };
        rest = match found {
            '[' => match after_bracket(after) {
                Some(rest) => rest,
                None => return false,
            },
            _ => after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default(),
        };
    }
    true
}

/// What follows a bracket expression whose `[` was just read.
fn after_bracket(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix('^').unwrap_or(text);
    if rest.starts_with(']') {
        return None;
    }
    loop {
        let mut letters = rest.chars();
        rest = match letters.next()? {
            ']' => return Some(letters.as_str()),
            '[' => {
                let (class, after) = letters.as_str().strip_prefix(':')?.split_once(":]")?;
                class.chars().all(|c| c.is_ascii_lowercase()).then_some(after)?
            }
            '\\' => {
                letters.next().filter(|escaped| !matches!(escaped, '[' | ']'))?;
                letters.as_str()
            }
            _ => letters.as_str(),
        };
    }
}

/// The length of the text before an unescaped `end`. A line end inside is refused.
fn end_of(text: &str, end: char) -> Option<usize> {
    let mut letters = text.char_indices();
    while let Some((at, c)) = letters.next() {
        match c {
            '\n' | '\r' => return None,
            '\\' => {
                letters.next().filter(|(_, escaped)| !matches!(escaped, '\n' | '\r'))?;
            }
            _ if c == end => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_only_print() {
        for program in [
            "{print $1}",
            "{print $NF}",
            "{print $(NF-1), $2}",
            "NR==1",
            "NR>=10 && NR<=20",
            "!seen[$0]++",
            "/foo/",
            "/foo/{print $2}",
            "!/^#/ && NF",
            "/a/,/b/",
            "$1 ~ /x|y/ {print $2 \"|\" $3}",
            "{sum+=$1} END {print sum/NR}",
            "{a[$1]+=$2} END{for (k in a) print k, a[k]}",
            "{for(i=1;i<=NF;i++) print i\": \"$i}",
            "BEGIN{FS=\":\"; OFS=\"\\t\"} {print $1,$3}",
            "{printf \"%s %d\\n\", $1, $2}",
            "{gsub(/[ \\t]+/, \" \"); print}",
            "/^[[:space:]]*[^a-z_]\\[x]/",
            "{gsub(/[\\/.]/, \"\"); print}",
            "length($0) > 80",
            "{if ($3 > 5) print $1; else print $2}",
            "{print length($0)/2}",
            "{print (a > b)}",
            "$1>5{print $2}",
            "END{print NR}",
            "{print substr($0, index($0,$3))}",
            "{print $1/$2}",
            "{n++} END{print n/2}",
            "1",
            "",
        ] {
            assert!(only_prints(program), "{program}");
        }
    }

    #[test]
    fn programs_that_may_do_more() {
        for program in [
            "BEGIN{system(\"touch x\")}",
            "{system (\"x\")}",
            "{print > \"f\"}",
            "{print $1 >> \"f\"}",
            "{print (1)(2) > \"f\"}",
            "{print(1) > \"f\"}",
            "{print $1,\n$2 > \"f\"}",
            "{print a\n> \"f\"}",
            "{print | \"sh\"}",
            "{printf \"%s\", $1 | \"sh\"}",
            "{\"date\" | getline x}",
            "{getline x < \"/etc/shadow\"}",
            "{getline}",
            "{print |& \"sh\"}",
            "@include \"x\"",
            "@load \"x\"",
            "{f=\"system\"; @f(\"x\")}",
            "{print ENVIRON[\"HOME\"]}",
            "BEGIN{ARGV[1]=\".env\"; ARGC=2}",
            "function f(x){return x}",
            "{while(1);}",
            "{f(1)}",
            "{x (1)}",
            // The slashes divide, so that the text between them is code.
            "{a / b; system(\"x\"); c / d}",
            "{a++ / 1; system(\"x\") / 2}",
            "{(a) / b; system(\"x\"); c / d}",
            "{length / 1; system(\"x\"); 1 / 2}",
            "{x[1] / 2; system(\"x\") / 3}",
            "{\"a\" / 2; system(\"x\") / 3}",
            // A pattern with a slash in a bracket ends in different places.
            "/[/]/{print > \"f\"} /]/",
            "/[/{system(\"x\")} /]/",
            // A bracket that some close earlier than others hides a quote, and with it what is a string.
            "{y = a[ /[]/ ] \"]/]; system(c); z=a[\" 1 \"]; q=1} #\" }",
            "{y = a[ /[^]/ ] \"]/]; system(c); z=a[\" 1 \"]; q=1} #\" }",
            "{y = a[ /[[:alpha:]/ ] \"]/]; system(c); z=a[\" 1 \"]; q=1} #\" }",
            "{y = a[ /[a\\]/ ] \"]/]; system(c); z=a[\" 1 \"]; q=1} #\" }",
            "/[[]/",
            "/a\"/{system(\"x\")}#\"/",
            "{print \"a\\\"; print > \"f\"}",
            "{print $1 # comment\n}",
            "{print \\\n > \"f\"}",
            "{print 'x'}",
            "{print `x`}",
            "{print 0x10}",
            "{print $1} }",
            "{print (}",
            "/unclosed",
            "\"unclosed",
            "{print é > 1}",
            "{print {print} > \"f\"}",
        ] {
            assert!(!only_prints(program), "{program}");
        }
        assert!(is_assignment("x=1") && is_assignment("OFS=,"));
        assert!(!is_assignment("ENVIRON=1") && !is_assignment("x") && !is_assignment("1x=2"));
    }
}
