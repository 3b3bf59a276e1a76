//! Programs that run the command behind them.

/// How a program is called that runs the command behind it.
struct Wrapper {
    names: &'static [&'static str],
    /// Letters of options. A colon behind a letter says that it has a value.
    options: &'static str,
    /// How many words stand before the command.
    operands: usize,
}

const WRAPPERS: [Wrapper; 16] = [
    Wrapper {
        names: &[
            "builtin", "nohup", "busybox", "toybox", "fakeroot", "i386", "i686", "x86_64", "linux32",
            "linux64",
        ],
        options: "",
        operands: 0,
    },
    Wrapper { names: &["choom"], options: "n:p:", operands: 0 },
    Wrapper { names: &["command"], options: "p", operands: 0 },
    Wrapper { names: &["exec"], options: "cla:", operands: 0 },
    Wrapper { names: &["nice"], options: "n:", operands: 0 },
    Wrapper { names: &["ionice"], options: "c:n:t", operands: 0 },
    Wrapper { names: &["setsid"], options: "cfw", operands: 0 },
    Wrapper { names: &["setarch"], options: "RvBFILSTXZ3", operands: 1 },
    Wrapper { names: &["sg"], options: "c", operands: 1 },
    Wrapper { names: &["sudo"], options: "u:g:h:p:C:r:t:nEHbkSi", operands: 0 },
    Wrapper { names: &["doas"], options: "u:C:ns", operands: 0 },
    Wrapper { names: &["time"], options: "pvaf:o:", operands: 0 },
    Wrapper { names: &["stdbuf"], options: "i:o:e:", operands: 0 },
    Wrapper { names: &["timeout"], options: "k:s:v", operands: 1 },
    Wrapper { names: &["taskset"], options: "ac", operands: 1 },
    Wrapper { names: &["logsave"], options: "asv", operands: 1 },
];

/// Whether a program runs the command behind it.
pub(super) fn is_wrapper(name: &str) -> bool {
    WRAPPERS.iter().any(|wrapper| wrapper.names.contains(&name))
}

/// Where the command begins in the arguments of a program that runs it.
pub(super) fn command_at(program: &str, arguments: &[String]) -> Option<usize> {
    let name = program.rsplit('/').next().unwrap_or_default();
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name))?;
    let mut at = 0;
    while let Some(letters) = arguments.get(at).and_then(|word| word.strip_prefix('-')) {
        at += 1;
        if letters == "-" {
            break;
        }
        let Some(letter) = letters.chars().next() else { continue };
        if letters.starts_with('-') {
            // A long option has its value in the same word.
            if !letters.contains('=') && !wrapper.options.is_empty() {
                return None;
            }
        } else if letter.is_ascii_digit() && name == "nice" {
            // `nice -5`
        } else {
            let last = letters
                .chars()
                .find(|letter| wrapper.options.contains(&format!("{letter}:")))
                .filter(|letter| letters.ends_with(*letter));
            let is_known = |letter: char| wrapper.options.contains(letter);
            if !is_known(letter) {
                return None;
            }
            at += usize::from(last.is_some());
        }
    }
    let at = at + wrapper.operands;
    (at < arguments.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_behind_options() {
        for (text, expected) in [
            ("nice rm x", Some(0)),
            ("nice -n 5 rm", Some(2)),
            ("nice -n5 rm", Some(1)),
            ("nice -5 rm", Some(1)),
            ("timeout 9 rev", Some(1)),
            ("timeout -k 3 9 rev", Some(3)),
            ("timeout --signal=9 9 rev", Some(2)),
            ("stdbuf -o0 rev", Some(1)),
            ("/usr/bin/stdbuf -o L -e0 rev", Some(3)),
            ("exec -a foo rm", Some(2)),
            ("exec -l rm", Some(1)),
            ("command -- rm", Some(1)),
            ("command -v rm", None),
            ("exec", None),
            ("timeout 9", None),
            ("logsave -a f rm", Some(2)),
            ("choom -n 0 rm", Some(2)),
            ("sg root rm", Some(1)),
            ("ls -l", None),
        ] {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            assert_eq!(command_at(&words[0], &words[1..]), expected, "{text}");
        }
    }
}
