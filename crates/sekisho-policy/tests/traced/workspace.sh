# Builds a hostile workspace in `$1/ws` and a home in `$1/home`. With `hostile` as `$2` the repository names
# programs.
set -eu
umask 022
base=$1
mkdir -p "$base/ws" "$base/home/.ssh/sub" "$base/out" "$base/live"
printf '[user]\n\tname = a\n\temail = a@example.org\n' > "$base/home/.gitconfig"
echo secret > "$base/home/.ssh/id_ed25519"
export HOME="$base/home" GIT_CONFIG_NOSYSTEM=1
cd "$base/ws"
git init -q -b main .
mkdir -p src tests docs/deep bin hooks
printf 'foo\nbar && rm x\nfoo bar\n' > a.txt
printf 'b\na\nc\n' > b.txt
printf 'one,two\nthree,four\n' > 'with blank.txt'
printf 'fn main() {\n    println!("foo");\n}\n' > src/main.rs
printf 'pub fn foo() {}\n// TODO: todo\n' > src/lib.rs
printf '#[test]\nfn t() {}\n' > tests/t.rs
printf '# Readme\nfoo\n' > README.md
printf '[package]\nname = "x"\n' > Cargo.toml
printf '{"a":1}\n' > package.json
printf 'deep\n' > docs/deep/note.md
echo 'touch pwned' > cmd.txt
echo '--pre=./x.sh' > flag.txt
echo -delete > delflag.txt
echo 1 > n.txt
printf 'victim.txt\0' > names0
echo victim.txt > names.txt
echo precious > victim.txt
git add . && git commit -q -m first
echo more >> a.txt && git commit -q -am 'second; fix: foo' && git tag v1
git branch other && echo dirty >> README.md

# Programs that must never start, under names that might be started.
printf '#!/bin/sh\ntouch pwned\n' > x.sh
chmod +x x.sh
for name in ls git cat date sh bin/ls bin/git bin/cat bin/sh hooks/post-index-change; do cp x.sh "$name"; done
# Names that look like options, and names that split words and lines.
mkdir gd1 gd2 gd3 gd4
for name in -delete -exec -ovictim.txt -o --pre=sh --compress-program=sh --output=victim.txt -rf -x.sh -{} ';'; do
    : > "$name"; : > "gd1/$name"
done
cp victim.txt gd1/ && cp victim.txt gd2/ && : > gd2/-ovictim.txt && : > gd2/a.txt && : > gd3/--pre=sh && : > 'gd3/--pre=[x]'
: > 'gd3/foox' && : > gd4/plain && : > 'gd4/two words'
: > '$(touch pwned)' && : > '`touch pwned`.txt' && : > 'a;touch pwned' && : > 'line
break' && : > ' -delete'
ln -s /etc/passwd outward && ln -s ../home/.ssh/id_ed25519 keys && ln -s src inward
ln -s evilrepo/sub deeplink && ln -s ../home homelink && ln -s ../home/.ssh/sub keylink

# Repositories inside the workspace that name programs in both passes: an ordinary one and a bare one.
hostile() {
    git config core.fsmonitor "$base/ws/x.sh"
    git config core.pager "$base/ws/x.sh"
    git config diff.external "$base/ws/x.sh"
    git config diff.t.textconv "$base/ws/x.sh"
    git config diff.t.command "$base/ws/x.sh"
    git config filter.f.clean "$base/ws/x.sh"
    git config gpg.program "$base/ws/x.sh"
    git config core.hooksPath "$base/ws/hooks"
    git config core.sshCommand "$base/ws/x.sh"
    git config core.editor "$base/ws/x.sh"
    git config log.showSignature true
}
mkdir -p evilrepo/sub && (cd evilrepo && git init -q . && echo a > a.txt && git add a.txt && git commit -q -m evil && hostile)
git init -q --bare barerepo && (cd barerepo && hostile && git config core.bare false && git config core.worktree "$base/ws")
if [ "${2-}" = hostile ]; then
    printf '*.txt diff=t filter=f\n*.md diff=t filter=f\n' > .gitattributes
    hostile
fi
