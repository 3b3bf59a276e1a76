//! The inner commands of commands.

use crate::support::{inner, profile};

fn runs(command: &str, expected: &[&str]) {
    assert_eq!(inner(command), expected, "{command}");
}

const WORDS: &[(&str, &str)] = &[
    ("sudo rm x", "rm x"),
    ("sudo -u nobody -E A=1 rm x", "rm x"),
    ("sudo --user=nobody -- rm x", "rm x"),
    ("doas -u a rm x", "rm x"),
    ("env -i /bin/rm x", "/bin/rm x"),
    ("env A=1 B=2 rm x", "rm x"),
    ("env -u A -C d rm x", "rm x"),
    ("command rm x", "rm x"),
    ("command -p rm x", "rm x"),
    ("builtin eval x", "eval x"),
    ("exec -a n rm x", "rm x"),
    ("nice -n 5 rm x", "rm x"),
    ("nice -5 rm x", "rm x"),
    ("nohup rm x", "rm x"),
    ("timeout -s KILL 5s rm x", "rm x"),
    ("timeout --signal=KILL -k 3 5 rm -rf x", "rm -rf x"),
    ("setsid -w rm x", "rm x"),
    ("stdbuf -oL rm x", "rm x"),
    ("ionice -c3 rm x", "rm x"),
    ("ionice -c 3 -n 1 rm x", "rm x"),
    ("chrt -f 5 rm x", "rm x"),
    ("taskset -c 1 rm x", "rm x"),
    ("strace -f -e trace=file -o out rm x", "rm x"),
    ("time -p rm x", "rm x"),
    ("flock x.lock rm x", "rm x"),
    ("flock -n x.lock rm -c x", "rm -c x"),
    ("unshare -r rm x", "rm x"),
    ("chroot --userspec=a / rm x", "rm x"),
    ("nsenter -t 1 -m rm x", "rm x"),
    ("busybox rm x", "rm x"),
    ("docker exec -it -u root box rm x", "rm x"),
    ("docker --context c exec box rm x", "rm x"),
    ("docker run --rm -v a:b image rm x", "rm x"),
    ("docker compose -f f exec web rm x", "rm x"),
    ("podman run image rm x", "rm x"),
    ("kubectl exec pod -it -- rm x", "rm x"),
    ("kubectl -n a exec -c c pod -- rm x", "rm x"),
    ("systemd-run --user --unit=a rm x", "rm x"),
    ("poetry run rm x", "rm x"),
    ("uv run --with a rm x", "rm x"),
    ("npx -y cowsay hi", "cowsay hi"),
    ("pnpm dlx cowsay", "cowsay"),
    ("git bisect run rm x", "rm x"),
    ("rustup run nightly rm x", "rm x"),
    ("direnv exec . rm x", "rm x"),
    ("find . -exec rm x \\;", "rm x"),
    ("fd -x rm x", "rm x"),
    ("sshpass -p x rm y", "rm y"),
    ("bundle exec rm x", "rm x"),
    ("env - rm x", "rm x"),
    ("env -i - A=1 rm x", "rm x"),
    ("sudo -k rm x", "rm x"),
    ("sudo -nk rm x", "rm x"),
    ("su root -- -c 'rm x'", "sh -c rm x"),
    ("su - root -- -c 'rm x'", "sh -c rm x"),
    ("script -q /dev/null rm x", "rm x"),
    ("git-push origin", "git push origin"),
    ("/usr/lib/git-core/git-push", "git push"),
    ("coreutils --coreutils-prog=rm x", "rm x"),
    ("/lib/ld.so.1 /bin/rm x", "/bin/rm x"),
    ("/lib64/ld-linux-x86-64.so.2 /bin/rm x", "/bin/rm x"),
    ("/lib/ld-musl-x86_64.so.1 --preload a /bin/rm x", "/bin/rm x"),
    ("gnice -n 5 rm x", "rm x"),
    ("gstdbuf -oL rm x", "rm x"),
    ("gtime rm x", "rm x"),
    ("gnohup rm x", "rm x"),
    ("genv rm x", "rm x"),
    ("gfind . -exec rm x \\;", "rm x"),
    ("lxc exec box -- rm x", "rm x"),
    ("lxc exec box rm x", "rm x"),
    ("cargo watch -- rm x", "rm x"),
];

#[test]
fn wrappers_of_words() {
    for (command, expected) in WORDS {
        runs(command, &[&format!("argv: {expected}")]);
    }
    runs("xargs -a names rm -f", &["argv: rm -f …"]);
    runs("xargs -0 -n1 -P 4 sh -c x", &["argv: sh -c x …"]);
    runs("xargs -I{} rm {} y", &["argv: rm … y"]);
    runs("xargs -I % mv % d/%", &["argv: mv … …"]);
    runs("find . -name a -exec grep x {} + -exec rm {} \\;", &["argv: grep x …", "argv: rm …"]);
    for none in
        ["sudo -l", "command -v rm", "sudo", "timeout 5", "ionice -p 3", "flock x.lock", "docker exec box"]
    {
        runs(none, &[]);
    }
}

const TEXTS: &[(&str, &str)] = &[
    ("bash -c 'rm x'", "Bash: rm x"),
    ("bash -lc 'rm x' name arg", "Bash: rm x"),
    ("bash -o pipefail +x -c 'rm x'", "Bash: rm x"),
    ("bash --norc -c 'rm x'", "Bash: rm x"),
    ("sh -ec 'rm x'", "Sh: rm x"),
    ("zsh -c 'rm x'", "Other: rm x"),
    ("eval 'rm x'", "Bash: rm x"),
    ("eval rm x", "Bash: rm x"),
    ("trap 'rm x' EXIT", "Bash: rm x"),
    ("watch -n 1 rm x", "Sh: rm x"),
    ("ssh -p 22 host rm x", "Sh: rm x"),
    ("ssh host -t 'rm x'", "Sh: rm x"),
    ("ssh -o ProxyCommand='rm x' host", "Sh: rm x"),
    ("su -c 'rm x' user", "Sh: rm x"),
    ("su - user -c 'rm x'", "Sh: rm x"),
    ("script -qc 'rm x' /dev/null", "Sh: rm x"),
    ("flock x.lock -c 'rm x'", "Sh: rm x"),
    ("env -S 'rm x'", "Sh: env rm x"),
    ("env -S '-i rm x'", "Sh: env -i rm x"),
    ("env -S'-i rm' x", "Sh: env -i rm x"),
    ("git -c alias.p=push p", "Sh: git push"),
    ("git config alias.x '!rm x'", "Sh: rm x"),
    ("git config --global alias.x 'reset --hard'", "Sh: git reset --hard"),
    ("git config set core.pager 'rm x'", "Sh: rm x"),
    ("git archive --exec='rm x' --remote=.", "Sh: rm x"),
    ("git filter-branch --tree-filter 'rm x' HEAD", "Sh: rm x"),
    ("git filter-branch -f --msg-filter 'rm x' HEAD", "Sh: rm x"),
    ("git send-pack --exec='rm x' .", "Sh: rm x"),
    ("git send-email --to-cmd='rm x'", "Sh: rm x"),
    ("git daemon --access-hook='rm x'", "Sh: rm x"),
    ("git instaweb --httpd='rm x'", "Sh: rm x"),
    ("entr -s 'rm x'", "Sh: rm x"),
    ("cargo watch -s 'rm x'", "Sh: rm x"),
    ("cargo watch -x run", "Sh: cargo run"),
    ("adb shell rm x", "Sh: rm x"),
    ("vagrant ssh -c 'rm x'", "Sh: rm x"),
    ("vim -c '!rm x' a", "Sh: rm x"),
    ("vim -c ':!rm x' a", "Sh: rm x"),
    ("sed '1e rm x' a", "Sh: rm x"),
    ("sed -n '/a/e rm x' a", "Sh: rm x"),
    ("sed 'p;e rm x' a", "Sh: rm x"),
    ("sed 's/.*/rm x/e' a", "Sh: rm x"),
    ("sed -e 's|.*|rm x|ge' a", "Sh: rm x"),
    ("nix-shell --run 'rm x'", "Sh: rm x"),
    ("git -c alias.x='!rm x' x", "Sh: rm x"),
    ("git -c core.fsmonitor='rm x' status", "Sh: rm x"),
    ("git grep -O'rm x' a", "Sh: rm x"),
    ("git rebase -x 'rm x' main", "Sh: rm x"),
    ("git submodule foreach 'rm x'", "Sh: rm x"),
    ("git difftool --extcmd='rm x'", "Sh: rm x"),
    ("git ls-remote --upload-pa='rm x' .", "Sh: rm x"),
    ("tar -cf a --to-command='rm x' b", "Sh: rm x"),
    ("tar cIf 'rm x' a b", "Sh: rm x"),
    ("tar -I 'rm x' -cf a b", "Sh: rm x"),
    ("tar cf a --checkpoint=1 --checkpoint-action=exec='rm x' b", "Sh: rm x"),
    ("rsync -e 'rm x' a b", "Sh: rm x"),
    ("man -P 'rm x' ls", "Sh: rm x"),
];

#[test]
fn texts() {
    for (command, expected) in TEXTS {
        runs(command, &[expected]);
    }
    runs("sort --compress-program=rm a", &["argv: rm"]);
    runs("sort --comp rm a", &["argv: rm"]);
    runs("rg --pre rm foo", &["argv: rm"]);
    runs("bash", &["input: Bash"]);
    runs("bash -s a b", &["input: Bash"]);
    runs("bash script.sh", &["unknown"]);
    runs("rg -z foo", &["unknown"]);
    runs("git -c core.fsmonitor=false status", &[]);
}

#[test]
fn texts_from_elsewhere() {
    runs("source /dev/stdin", &["input: Bash"]);
    runs(". /dev/fd/0", &["input: Bash"]);
    runs("bash /dev/stdin", &["input: Bash"]);
    runs("git config --get alias.x", &[]);
    runs("sed 's/a/b/;s/e/f/g' a", &[]);
    runs("xargs -irm rm rm", &["argv: rm …", "argv: … …"]);
    assert!(inner("fish -c'rm x'").contains(&"Other: rm x".to_owned()));
    assert!(inner("flatpak run --command=rm app x").contains(&"argv: rm app x".to_owned()));
    assert!(inner("start-stop-daemon --start --exec /bin/rm -- x").contains(&"Sh: /bin/rm".to_owned()));
    for (wrapper, name) in [("systemd-inhibit rm x", "rm"), ("cpulimit -l 5 rm x", "rm"), ("nq rm x", "rm")] {
        assert!(inner(wrapper).iter().any(|run| run.contains(name)), "{wrapper}");
    }
    for wrapper in [
        "systemd-nspawn rm x",
        "tsp rm x",
        "rlwrap rm x",
        "xterm -e rm x",
        "daemonize rm x",
        "setuidgid u rm x",
    ] {
        assert!(inner(wrapper).contains(&"argv: rm x".to_owned()), "{wrapper}: {:?}", inner(wrapper));
    }
}

#[test]
fn options_of_git_that_may_run_something() {
    for unknown in [
        "git --exec-path=d status",
        "git --git-dir=d status",
        "git --work-tree d status",
        "git -c x.y=z status",
        "git -c core.fsmonitor status",
        "git diff --ext-diff",
        "git log -p --ext-diff",
        "git clone --template=d a",
    ] {
        runs(unknown, &["unknown"]);
    }
    runs("git -c user.name=a -c color.ui=never -c commit.gpgsign=false -c pager.log=cat commit", &[]);
}

#[test]
fn unknown_options_hide_nothing() {
    runs("sudo --new-option rm x", &["unknown", "argv: rm x", "argv: x"]);
    runs("timeout --new 5 rm x", &["unknown", "argv: rm x", "argv: x"]);
    runs("timeout $x 5 rm x", &["unknown", "argv: 5 rm x", "argv: rm x", "argv: x"]);
    assert!(inner("env $x rm y").contains(&"argv: rm y".to_owned()));
    assert!(inner("runuser -u nobody rm x").contains(&"argv: rm x".to_owned()));
    assert!(inner("mise exec node -- rm x").contains(&"argv: rm x".to_owned()));
    assert!(inner("firejail --net=none rm x").contains(&"argv: rm x".to_owned()));
    assert!(inner("parallel rm ::: a b").contains(&"argv: rm …".to_owned()));
}

#[test]
fn transparent_wrappers() {
    for command in ["timeout 5 ls", "time ls", "nice ls", "command ls", "xargs -0 wc -l", "stdbuf -oL ls"] {
        let profile = profile(command);
        assert!(profile.transparent && profile.harmless.is_ok(), "{command}");
        assert_eq!(profile.inner_commands.len(), 1, "{command}");
        assert_eq!(profile.builtin, None);
    }
    for command in [
        "xargs -I \"$x\" sort a",
        "xargs --process-slot-var=A ls",
        "timeout --new 5 ls",
        "time -o x ls",
        "sudo ls",
        "env A=1 ls",
        "nohup ls",
        "$x ls",
    ] {
        let profile = profile(command);
        assert!(!(profile.transparent && profile.harmless.is_ok()), "{command}");
    }
}
