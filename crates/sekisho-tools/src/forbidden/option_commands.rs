//! Options of programs whose value is a command: `zip -TT command`, `dpkg --pre-invoke=command`.

use super::resolved_arguments::Argument;

/// Programs, and those of their options whose value is a command.
const OPTIONS: [(&[&str], &[&str]); 16] = [
    (&["zip"], &["-TT", "--unzip-command"]),
    (&["dpkg"], &["--pre-invoke", "--post-invoke", "--status-logger"]),
    (
        &["tar", "gtar", "bsdtar"],
        &[
            "-I",
            "-F",
            "--use-compress-program",
            "--to-command",
            "--info-script",
            "--new-volume-script",
            "--checkpoint-action",
            "--rsh-command",
            "--rmt-command",
        ],
    ),
    (&["rsync"], &["-e", "--rsh", "--rsync-path"]),
    (&["sort"], &["--compress-program"]),
    (&["man"], &["-P", "-H", "--pager", "--html"]),
    (&["split"], &["--filter"]),
    (&["script"], &["-c", "--command"]),
    (&["flock"], &["-c", "--command"]),
    (&["sg"], &["-c"]),
    (&["nc", "ncat", "netcat"], &["-c", "-e", "--exec", "--sh-exec"]),
    (&["wget"], &["--use-askpass"]),
    (&["tcpdump"], &["-z"]),
    (&["strace"], &["-o", "--output"]),
    (&["perf"], &["--pre", "--post"]),
    (&["dpkg-deb", "dpkg-source", "dpkg-buildpackage", "debuild"], &["--hook", "--rootcmd", "-r"]),
];

/// Programs that take settings of commands: `-o DPkg::Pre-Invoke::=command`.
const APT: [&str; 3] = ["apt", "apt-get", "aptitude"];

/// The commands in the options of a program.
pub(super) fn commands(program: &Argument, words: &[Argument]) -> Vec<String> {
    let name = program.text.rsplit('/').next().unwrap_or_default();
    let is_listed = |names: &[&str]| names.contains(&name);
    if !APT.contains(&name) && !OPTIONS.iter().any(|(names, _)| is_listed(names)) {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for (names, options) in OPTIONS {
        if !is_listed(names) {
            continue;
        }
        for (at, word) in words.iter().enumerate() {
            let next = || words.get(at + 1).map(|word| word.text.clone());
            for option in options {
                match word.text.strip_prefix(option) {
                    Some("") => found.extend(next()),
                    Some(rest) if option.starts_with("--") => {
                        found.extend(rest.strip_prefix('=').map(str::to_owned));
                    }
                    Some(rest) => found.push(rest.to_owned()),
                    None => {}
                }
            }
            // `zip -qTT command`, `strace -fo '|command'`
            let bundle = word.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            let in_bundle = match name {
                "zip" => bundle.and_then(|letters| letters.split_once("TT")),
                "strace" => bundle.and_then(|letters| letters.split_once('o')),
                _ => None,
            };
            if let Some((_, rest)) = in_bundle {
                found.extend(if rest.is_empty() { next() } else { Some(rest.to_owned()) });
            }
        }
    }
    if name == "strace" {
        // Other outputs are files.
        return found
            .iter()
            .filter_map(|output| output.strip_prefix(['|', '!']))
            .map(str::to_owned)
            .collect();
    }
    if APT.contains(&name) {
        let settings = words.iter().filter_map(|word| word.text.split_once('='));
        let invoked = settings.filter(|(name, _)| name.contains("nvoke") || name.contains("nstall-Pkgs"));
        found.extend(invoked.map(|(_, command)| command.trim_start_matches('=').to_owned()));
    }
    found.into_iter().map(|command| command.trim_start_matches("exec=").to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_options() {
        for (text, expected) in [
            ("zip -T -TT x a", &["x"][..]),
            ("zip -qTT x a", &["x", "x"]),
            ("zip -r a b", &[]),
            ("dpkg --pre-invoke=x -r a", &["x"]),
            ("tar --to-command x", &["x"]),
            ("tar -xf a", &[]),
            ("apt-get -o DPkg::Pre-Invoke::=x", &["x"]),
            ("strace -o !x ls", &["x"]),
            ("strace -fo |x ls", &["x"]),
            ("strace -o|x ls", &["x"]),
            ("strace --output=|x ls", &["x"]),
            ("strace -fo log ls", &[]),
            ("strace -o log ls", &[]),
            ("perf stat --pre x --post=y ls", &["x", "y"]),
            ("perf stat ls", &[]),
        ] {
            let words: Vec<Argument> = text.split(' ').map(Argument::literal).collect();
            let found = commands(&words[0], &words[1..]);
            assert!(
                expected.iter().all(|command| found.iter().any(|found| found == command)),
                "{text}: {found:?}"
            );
            assert_eq!(found.is_empty(), expected.is_empty(), "{text}: {found:?}");
        }
    }
}
