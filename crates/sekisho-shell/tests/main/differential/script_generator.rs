//! Scripts from a grammar, from common commands, and damaged ones of both kinds.

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

    /// A number below `limit`.
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
    let mut text = match random.below(8) {
        0 | 1 => everyday(random),
        2 | 3 => soup(random),
        _ => super::grammar_scripts::script(random),
    };
    if random.once_in(2) {
        for _ in 0..=random.below(3) {
            damage(random, &mut text);
        }
    }
    // Without a slash nothing outside the directory can be named, let alone run.
    text.replace(['/', '\0'], "_")
}

/// A few fragments of syntax around markers: short, mostly invalid, and unusual where valid.
fn soup(random: &mut Random) -> String {
    let mut text = random.pick(&["m1 ", "m2 a", "m3\n", "m4 $(m5)", "m6 \"", "m0 '", "x=", ""]).to_owned();
    for _ in 0..=random.below(9) {
        match random.below(4) {
            0 => text.push_str(random.pick(&["m1", "m2 ", " m3 ", "a", " b", "$x", "1", "x", " "])),
            _ => text.push_str(FRAGMENTS[random.below(FRAGMENTS.len())]),
        }
    }
    text
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
