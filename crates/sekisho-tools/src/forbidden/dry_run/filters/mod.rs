//! Programs that only change text. They are followed if their arguments and their input are known.

mod characters;
mod decoders;
mod expressions;
mod filter_plan;
mod grep;
mod lines;

pub(super) use filter_plan::{Filter, LongNames, Options, Plan};

/// The program of this name, if it is followed.
pub(super) fn find(name: &str) -> Option<Filter> {
    Some(match name {
        "base64" | "basenc" => decoders::base64,
        "base32" => decoders::base32,
        "openssl" => decoders::openssl,
        "xxd" => decoders::xxd,
        "rev" => lines::rev,
        "tac" => lines::tac,
        "head" => lines::head,
        "tail" => lines::tail,
        "sort" => lines::sort,
        "uniq" => lines::uniq,
        "fold" => lines::fold,
        "paste" => lines::paste,
        "seq" => lines::seq,
        "tr" => characters::tr,
        "cut" => characters::cut,
        "expr" => expressions::expr,
        "grep" => grep::grep,
        "egrep" => grep::extended,
        "fgrep" => grep::fixed,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &[&str], input: &str, expected: Option<&str>) {
        let arguments: Vec<String> = command.iter().skip(1).map(ToString::to_string).collect();
        let plan = find(command[0]).and_then(|filter| filter(&arguments));
        let text = plan.and_then(|plan| (plan.change)(plan.given.as_deref().unwrap_or(input)));
        assert_eq!(text.as_deref(), expected, "{command:?}");
    }

    /// The results are those of the programs.
    #[test]
    fn text_is_changed_as_the_programs_do() {
        for (command, input, expected) in [
            (&["base64", "-d"][..], "cm0gLXJmIHg=\n", "rm -rf x"),
            (&["base64", "--decode"], "cm0g\nLXJmIHg=", "rm -rf x"),
            (&["base64"], "rm", "cm0=\n"),
            (&["base32", "-d"], "OJWQ====", "rm"),
            (&["xxd", "-r", "-p"], "726d 20\n78", "rm x"),
            (&["openssl", "base64", "-d"], "cm0=", "rm"),
            (&["openssl", "enc", "-base64", "-d", "-A"], "cm0=", "rm"),
            (&["rev"], "x fr- mr\nab", "rm -rf x\nba"),
            (&["tac"], "a\nb\n", "b\na\n"),
            (&["tr", "a-z", "b-za"], "ql", "rm"),
            (&["tr", "a-zA-Z", "n-za-mN-ZA-M"], "ez", "rm"),
            (&["tr", "-d", "x\\n"], "rxm\n", "rm"),
            (&["tr", "_", " "], "rm_-rf", "rm -rf"),
            (&["tr", "[:upper:]", "[:lower:]"], "RM", "rm"),
            (&["tr", "-s", "m"], "rmm", "rm"),
            (&["tr", "-dc", "rm"], "xrxmx", "rm"),
            (&["tr", "abc", "r"], "ab", "rr"),
            (&["tr", "a", "[r*]"], "am", "rm"),
            (&["tr", "ab", "[r*1]x"], "am", "rm"),
            (&["tr", "[=a=]", "r"], "am", "rm"),
            (&["tr", "-t", "abm", "r"], "am", "rm"),
            (&["tr", "-cd", "[rm]"], "r.m", "rm"),
            (&["tr", "--delete", "[:cntrl:]"], "r\u{1}m", "rm"),
            (&["tr", "-d", "[:space:]"], "r \n\tm", "rm"),
            (&["cut", "--complement", "-c1"], "xrm\n", "rm\n"),
            (&["cut", "-d,", "--fields=2"], "x,rm\n", "rm\n"),
            (&["cut", "-d,", "-f1,3", "--output-delimiter="], "r,x,m\n", "rm\n"),
            (&["sort", "-t,", "-k2"], "x,2\nrm,1\n", "rm,1\nx,2\n"),
            (&["uniq", "-u"], "x\nx\nrm\n", "rm\n"),
            (&["uniq", "-d"], "rm\nrm\nx\n", "rm\n"),
            (&["fold", "-w1"], "rm\n", "r\nm\n"),
            (&["head", "--lines=1"], "a\nb\n", "a\n"),
            (&["cut", "-c2-3"], "xrmx\n", "rm\n"),
            (&["cut", "-d,", "-f2,1"], "rm,-rf,x\n", "rm,-rf\n"),
            (&["cut", "-d", ":", "-f", "2-"], "a:b:c\n", "b:c\n"),
            (&["head", "-n1"], "a\nb\n", "a\n"),
            (&["head", "-1"], "a\nb\n", "a\n"),
            (&["head", "-n", "-1"], "a\nb\n", "a\n"),
            (&["head", "-c", "2"], "rmx", "rm"),
            (&["tail", "-n", "1"], "a\nb\n", "b\n"),
            (&["tail", "-n+2"], "a\nb\n", "b\n"),
            (&["tail", "-c2"], "xrm", "rm"),
            (&["sort"], "b\na\n", "a\nb\n"),
            (&["sort", "-r"], "a\nb\n", "b\na\n"),
            (&["uniq"], "a\na\nb\n", "a\nb\n"),
            (&["paste", "-sd", " "], "rm\n-rf\n", "rm -rf\n"),
            (&["seq", "3"], "", "1\n2\n3\n"),
            (&["grep", "b"], "a\nb\n", "b\n"),
            (&["grep", "-m1", "-w", "rm"], "rmx\nrm\nrm\n", "rm\n"),
            (&["grep", "-x", "rm"], "xrm\nrm\n", "rm\n"),
            (&["egrep", "(r)m"], "rm\n", "rm\n"),
            (&["grep", "-v", "b"], "a\nb\n", "a\n"),
            (&["grep", "-o", "r."], "xrmx\n", "rm\n"),
            (&["expr", "substr", "xrmx", "2", "2"], "", "rm\n"),
            (&["expr", "xrm", ":", "x\\(.*\\)"], "", "rm\n"),
            (&["expr", "match", "xrm", ".."], "", "2\n"),
        ] {
            check(command, input, Some(expected));
        }
    }

    #[test]
    fn other_options_are_not_followed() {
        for command in [
            &["base64", "--nothing"][..],
            &["tr", "a", "[:nothing:]"],
            &["grep", "-oE", "m|mr"],
            &["tr"],
            &["tr", "-x", "a"],
            &["cut"],
            &["openssl", "aes"],
            &["xxd", "f"],
            &["sort", "-k2,3"],
            &["seq", "1000000"],
            &["awk", "1"],
        ] {
            check(command, "a", None);
        }
        check(&["base64", "-d"], "/+8=", None);
        check(&["base64", "-d"], "é", None);
    }
}
