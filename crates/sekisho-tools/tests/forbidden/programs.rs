//! Forbidden commands inside programs of other languages, and everyday commands that only look like them.

use std::fs;
use std::path::Path;

use sekisho_tools::forbidden::ForbiddenCode::{
    self, EnvironmentFile, EnvironmentProgram, ExportVariable, GitPush, ListVariables, RecursiveDelete,
    RemoveDirectory,
};
use sekisho_tools::forbidden::forbidden_command;
use serde_json::Value;

const CASES: &[(ForbiddenCode, &str)] = &[
    // Perl, Ruby, PHP, Lua, Tcl
    (RecursiveDelete, "perl -e 'system(\"rm -rf x\")'"),
    (RecursiveDelete, "perl -e 'system(\"rm\", \"-r\", \"-f\", \"x\")'"),
    (RecursiveDelete, "perl -e 'exec qw(rm -rf x)'"),
    (RecursiveDelete, "perl -e 'exec rm => -rf => x'"),
    (RecursiveDelete, "perl -e '`rm -rf x`'"),
    (RecursiveDelete, "perl -e 'qx{rm -rf x}'"),
    (RecursiveDelete, "perl -E 'print qx/rm -rf x/'"),
    (RecursiveDelete, "perl -e 'system \"rm\\t-rf\\tx\"'"),
    (RecursiveDelete, "perl -e 'system \"/bin/rm -rf x\"'"),
    (RecursiveDelete, "perl5.36 -we 'system(q(rm -fr x))'"),
    (RecursiveDelete, "ruby -e 'system(\"rm -rf x\")'"),
    (RecursiveDelete, "ruby -e '%x(rm -rf x)'"),
    (RecursiveDelete, "ruby -e 'exec \"rm\", \"-rf\", \"x\"'"),
    (RecursiveDelete, "php -r 'shell_exec(\"rm -rf x\");'"),
    (RecursiveDelete, "php -r '`rm -rf x`;'"),
    (RecursiveDelete, "lua -e 'os.execute(\"rm -rf x\")'"),
    (RecursiveDelete, "expect -c 'spawn rm -rf x'"),
    (RecursiveDelete, "osascript -e 'do shell script \"rm -rf x\"'"),
    // Python and JavaScript
    (RecursiveDelete, "python3 -c 'import os; os.system(\"rm -rf x\")'"),
    (RecursiveDelete, "python3.12 -c \"import subprocess as s; s.run(['rm', '-rf', 'x'])\""),
    (RecursiveDelete, "python -c 'import os; os.execvp(\"rm\", [\"rm\", \"-r\", \"-f\", \"x\"])'"),
    (RecursiveDelete, "node -e 'require(\"child_process\").execSync(\"rm -rf x\")'"),
    (RecursiveDelete, "node -e 'require(\"child_process\").spawnSync(\"rm\", [\"-rf\", \"x\"])'"),
    (RecursiveDelete, "deno eval 'new Deno.Command(\"rm\", { args: [\"-rf\", \"x\"] })'"),
    (GitPush, "node -e 'require(\"child_process\").execSync(\"cd x && git push\")'"),
    (GitPush, "python3 -c 'import os; os.system(\"git -C x push\")'"),
    (RemoveDirectory, "perl -e 'rmdir \"x\"'"),
    (RemoveDirectory, "ruby -e 'system \"rmdir x\"'"),
    // awk, sed, make, editors
    (RecursiveDelete, "awk 'BEGIN { system(\"rm -rf x\") }'"),
    (RecursiveDelete, "awk '{ print | \"rm -rf x\" }' a"),
    (RecursiveDelete, "sed '1e rm -rf x' a"),
    (RecursiveDelete, "make 'X=$(shell rm -rf y)'"),
    (RecursiveDelete, "make --eval='x:; rm -rf y' x"),
    (RecursiveDelete, "make clean RM='rm -rf'"),
    (RecursiveDelete, "make -f - <<'E'\nall:\n\trm -rf x\nE"),
    (RecursiveDelete, "printf 'all:\\n\\trm -rf x\\n' | make -f -"),
    (RecursiveDelete, "vim -es '+!rm -rf x' +q a"),
    (RecursiveDelete, "gdb -batch -ex 'shell rm -rf x'"),
    // Programs on the input
    (RecursiveDelete, "python3 <<'E'\nimport os\nos.system('rm -rf x')\nE"),
    (RecursiveDelete, "python3 - a b <<E\nimport subprocess\nsubprocess.run([\n  'rm',\n  '-rf', 'x'])\nE"),
    (RecursiveDelete, "perl <<< 'system(\"rm -rf x\")'"),
    (RecursiveDelete, "echo 'system(\"rm -rf x\")' | perl"),
    (RecursiveDelete, "cat <<'E' | node\nrequire('child_process').execSync('rm -rf x')\nE"),
    (GitPush, "ruby <<'E'\n`git push`\nE"),
    // Environment, only where it is run
    (EnvironmentProgram, "perl -e 'system(\"env\")'"),
    (EnvironmentProgram, "perl -e 'exec printenv'"),
    (EnvironmentProgram, "perl -e 'print `env`'"),
    (EnvironmentProgram, "python3 -c 'import os; os.system(\"cd x; env | sort\")'"),
    (EnvironmentProgram, "python3 -c 'import subprocess; subprocess.run([\"printenv\"])'"),
    (EnvironmentProgram, "node -e 'console.log(require(\"child_process\").execSync(\"env\").toString())'"),
    (EnvironmentProgram, "awk 'BEGIN { \"env\" | getline x; print x }'"),
    (EnvironmentProgram, "ruby -e 'puts %x(env)'"),
    (EnvironmentProgram, "make 'X=$(shell env)'"),
    (EnvironmentProgram, "make -f - <<'E'\nall:\n\t@env\nE"),
    (ExportVariable, "perl -e 'system(\"export A=1; ls\")'"),
    (ListVariables, "python3 -c 'import os; os.system(\"set\")'"),
    (EnvironmentFile, "perl -ne 'print' /proc/self/environ"),
    (EnvironmentFile, "ruby -e 'puts File.read(\"/proc/1/environ\")'"),
    // Other commands that run a command
    (RecursiveDelete, "ssh host 'rm -rf x'"),
    (RecursiveDelete, "find . -exec sh -c 'rm -rf \"$1\"' _ {} \\;"),
    (RecursiveDelete, "ls | xargs -I{} sh -c 'rm -rf {}'"),
    (EnvironmentProgram, "env -S 'rm -rf x'"),
    (RecursiveDelete, "rm -{r,f} x"),
    (RecursiveDelete, "rm {-r,-f,x}"),
    (RecursiveDelete, "dash -c 'rm -rf x'"),
    (RecursiveDelete, "busybox sh -c 'rm -rf x'"),
    (RecursiveDelete, "f() { \"$@\"; }; f rm -rf x"),
    (RecursiveDelete, "set -- rm -rf x; \"$@\""),
    (RecursiveDelete, "a=(rm -rf x); \"${a[@]}\""),
    (RecursiveDelete, "X=-r; Y=-f; rm $X $Y z"),
    (RecursiveDelete, "a=r; b=m; $a$b -rf z"),
    (GitPush, "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p"),
    (GitPush, "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='!git push' git p"),
    (GitPush, "GIT_CONFIG_PARAMETERS=\"'alias.p=push'\" git p"),
    // Options that export everything
    (ExportVariable, "shopt -so allexport"),
    (ExportVariable, "shopt -os allexport"),
    (ExportVariable, "shopt -s -o allexport"),
    (ExportVariable, "set -oe allexport"),
    (ExportVariable, "set +x -a"),
    (ExportVariable, "set -e -o pipefail -o allexport"),
    (ExportVariable, "set -oo pipefail allexport"),
    (ExportVariable, "bash -a -c ls"),
    (ExportVariable, "bash -ac ls"),
    (ExportVariable, "bash -o allexport -c ls"),
    (ExportVariable, "bash -O extglob -o allexport x.sh"),
    (ExportVariable, "bash --norc -o allexport x.sh"),
    (ExportVariable, "bash --rcfile a -a"),
    (ExportVariable, "sh -o allexport -c ls"),
    (ExportVariable, "SHELLOPTS=braceexpand:allexport sh -c ls"),
    (ExportVariable, "zsh -c 'setopt ALL_EXPORT'"),
    // Other ways to the environment of a process
    (EnvironmentFile, "cat /dev/fd/../environ"),
    (EnvironmentFile, "cat /dev/./fd//../environ"),
    (EnvironmentFile, "cat /dev/fd/../task/1/environ"),
    (EnvironmentFile, "cat < /dev/fd/../environ"),
    (EnvironmentFile, "cd /dev/fd; cat ../environ"),
    (EnvironmentFile, "cat /proc/self/../1/environ"),
    (EnvironmentFile, "cat /proc/self/fd/../environ"),
    (EnvironmentFile, "cat /proc/self/root/proc/1/environ"),
    (EnvironmentFile, "cat /proc/self/cwd/../../proc/self/environ"),
    (EnvironmentFile, "cat /proc/thread-self/environ"),
    (EnvironmentFile, "cd /; cat proc/self/environ"),
    (EnvironmentFile, "ln -s / r; cat r/proc/self/environ"),
    (EnvironmentFile, "find /proc -name environ"),
    (EnvironmentFile, "cd /proc/self; cat e*"),
    (EnvironmentFile, "cd /proc/self && cat *"),
    (EnvironmentFile, "pushd /proc/1; head [a-f]*"),
    (EnvironmentFile, "ln -s /proc doc/p; cat doc/p/self/e*"),
    (EnvironmentFile, "ln -s /proc doc/p; cd doc/p/self; cat e*"),
    (EnvironmentFile, "ln -s / doc/r; cd doc/r/proc/self; cat e*"),
    (EnvironmentFile, "cd /; cat proc/self/e*"),
    (EnvironmentFile, "curl 'file:///proc/self/{environ}'"),
    (EnvironmentFile, "curl file:///proc/self/%65nviron"),
    (EnvironmentFile, "curl 'file://localhost/proc/self/{environ,maps}'"),
    (EnvironmentFile, "curl -K - <<< 'url = \"file:///proc/self/%65nviron\"'"),
    (EnvironmentFile, "grep -rs PATH /proc/self/ -h -a --include='env*'"),
    (EnvironmentFile, "grep -R PATH /proc/1"),
    (EnvironmentFile, "rg -a PATH /proc/thread-self"),
    (EnvironmentFile, "cd /proc/self; grep -r PATH ."),
    (EnvironmentFile, "cp -r /proc/self doc/p"),
    (EnvironmentFile, "tar cf - /proc/self"),
    (EnvironmentFile, "find /proc/self -maxdepth 1 -type f -exec cat {} +"),
    (EnvironmentFile, "find /proc/self -maxdepth 1 -type f | xargs cat"),
    (EnvironmentProgram, "gdb -batch -ex '!env'"),
    (EnvironmentProgram, "vim -c 'r!env' a"),
    (EnvironmentProgram, "vim -c ':%!env' a"),
    (EnvironmentProgram, "sqlite3 :memory: '.sh env'"),
    (RemoveDirectory, "logsave f rmdir x"),
    // Values and wrappers
    (RecursiveDelete, "$SHELL -c 'rm -rf x'"),
    (EnvironmentProgram, "$SHELL -c env"),
    (EnvironmentFile, "curl 'file:///proc/self/environ?x'"),
    (EnvironmentFile, "curl 'file:///proc/self/environ#x'"),
    (EnvironmentProgram, "perl -e 'exec env => -0'"),
    // Files that the text writes
    (RecursiveDelete, "cat > s.py <<'E'\nimport os\nos.system('rm -rf x')\nE\npython3 ./s.py"),
    (RecursiveDelete, "cat > s.py <<'E'\nimport os\nos.system('rm -rf x')\nE\npython3 \"$PWD/s.py\""),
    (RecursiveDelete, "cat > s.py <<'E'\nimport os\nos.system('rm -rf x')\nE\npython3 -m s"),
    (RecursiveDelete, "cat > test_s.py <<'E'\nimport os\nos.system('rm -rf x')\nE\npytest ./test_s.py"),
    (RecursiveDelete, "tee s.js <<'E'\nrequire('child_process').execSync('rm -rf x')\nE\nnode s"),
    (
        RecursiveDelete,
        "cat > a <<'E'\nrequire('child_process').execSync('rm -rf x')\nE\nmv a s.js; node ./s.js",
    ),
    (RecursiveDelete, "cat > s.ts <<'E'\nexecSync('rm -rf x')\nE\nnpx tsx s.ts"),
    // Paths that look like comments
    (RecursiveDelete, "ln -s /bin '#b'; '#b'/rm -rf x"),
    (RecursiveDelete, "ln -s / '#!'; '#!/bin/rm' -rf x"),
    (GitPush, "ln -s /usr/bin '#u'; '#u/git' push o main"),
    // Programs on the input behind options with values, or behind its other names
    (RecursiveDelete, "python3 -W ignore <<< 'import os; os.system(\"rm -rf x\")'"),
    (RecursiveDelete, "python3 -X dev -B <<< 'import os; os.system(\"rm -rf x\")'"),
    (RecursiveDelete, "perl -wI lib <<< 'system(\"rm -rf x\")'"),
    (RecursiveDelete, "node -r fs <<< 'require(\"child_process\").execSync(\"rm -rf x\")'"),
    (RecursiveDelete, "node --require fs <<< 'require(\"child_process\").execSync(\"rm -rf x\")'"),
    (RecursiveDelete, "python3 /dev/fd/0 <<< 'import os; os.system(\"rm -rf x\")'"),
    (RecursiveDelete, "perl /proc/self/fd/3 3<<< 'system(\"rm -rf x\")'"),
    // Lists of texts
    (GitPush, "python3 -c 'import subprocess as s; s.run([\"git\",\"-c\",\"user.name=me\",\"push\",\"o\"])'"),
    (RecursiveDelete, "perl -e 'exec \"rm\", \"a;\", \"-rf\", \"x\"'"),
    (RecursiveDelete, "python3 -c 's.run([\"/bin/rm\", # all\n \"a|b\",\n \"-rf\"])'"),
    (RecursiveDelete, "node -e 'c.spawnSync(\"rm\", /* all */ [\"a;\", \"-r\", \"-f\"])'"),
    (
        RecursiveDelete,
        "python3 -c 's.run([\"rm\",\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\",\"11\",\"12\",\"13\",\"14\",\"15\",\"16\",\"-rf\"])'",
    ),
    // Abbreviations of `--interactive=never`
    (RecursiveDelete, "rm -r --interactive=n x"),
    (RecursiveDelete, "rm -r --int=ne x"),
    (RecursiveDelete, "rm -r --interactive=non x"),
    (RecursiveDelete, "$(printf rm) -r --interactive=never x"),
    // From the root to the environment of a process
    (EnvironmentFile, "cd /; cd proc; cd self; cat environ"),
    (EnvironmentFile, "pushd /; cd proc; cat self/environ"),
    (EnvironmentFile, "cd //; cd [p]roc/1; cat e*"),
    (EnvironmentFile, "cd /; cat [p]roc/self/environ"),
    // `set -k` exports the assignments behind a command's name
    (ExportVariable, "set -k; sh -c 'echo $Z' Z=1"),
    (ExportVariable, "set -ek"),
    (ExportVariable, "set -o keyword; sh -c 'echo $Z' Z=1"),
    (ExportVariable, "shopt -so keyword"),
    (ExportVariable, "bash -k -c ls"),
    (ExportVariable, "SHELLOPTS=keyword sh -c ls"),
    (EnvironmentFile, "ps e"),
    (EnvironmentFile, "ps auxeww | grep KEY"),
];

/// What agents run every day with these programs.
const EVERYDAY: &[&str] = &[
    "make",
    "make -j4 test",
    "make clean",
    "make install PREFIX=/tmp/x",
    "make -C sub all",
    "git commit -m 'stop using rm -rf in scripts' && make",
    "git commit -m 'document git push' && npm test",
    "echo 'do not rm -rf x' && python3 run.py",
    "npm run build",
    "npm test -- --grep 'env'",
    "npx tsc --noEmit",
    "node index.js",
    "node -e 'console.log(process.env.HOME)'",
    "node -e 'const a = []; a.push(1); console.log(a)'",
    "node -p 'require(\"./package.json\").version'",
    "python3 script.py --force --recursive",
    "python3 manage.py rm -r -f x",
    "python3 -c 'print(1)'",
    "python3 -c 'import json; print(json.load(open(\"a.json\"))[\"env\"])'",
    "python3 -c 'import os; print(os.environ[\"HOME\"])'",
    "python3 -c 'x = set(); x.add(1); print(x)'",
    "python3 -m venv env",
    "python3 -m pytest -rf tests",
    "python3 <<'E'\nimport sys\nenv = {}\nprint(env, set([1]))\nE",
    "perl -ne 'print if /rm -rf/' a",
    "perl -pi -e 's/rm -rf x/rm -r x/' a",
    "perl -pe 's/git push/git fetch/' a",
    "perl -e 'print $ENV{HOME}'",
    "ruby -e 'puts ENV[\"HOME\"]'",
    "awk '{ print $1 }' a",
    "awk '/rm -rf/' a",
    "awk -F: '{ env[$1]++ } END { for (e in env) print e }' a",
    "sed -i '/rm -rf/d' a",
    "sed -i 's/rm -rf x/rm x/' a",
    "sed -n '/export /p' a",
    "jq '.env' a.json",
    "jq -r '.scripts.push' package.json",
    "cargo test -- --nocapture",
    "cargo build --release",
    "go test ./...",
    "bash -x script.sh",
    "bash -lc ls",
    "bash -euo pipefail -c ls",
    "set -euo pipefail",
    "set -eo pipefail; ls",
    "set +a",
    "shopt -s extglob",
    "shopt -o pipefail",
    "SHELLOPTS=pipefail sh -c ls",
    "ls /dev/fd",
    "cat /dev/fd/0",
    "cat /dev/stdin",
    "ls /proc/self/fd",
    "cat src/proc/environ.rs",
    "cat /proc/cpuinfo; ls *",
    "ls *; cat /proc/meminfo",
    "ps aux",
    "ps -ef",
    "ps -p 1 -o etime",
    "ps -e -o pid,comm",
    "set -- a b; echo \"$@\"",
    "a=(x y); echo \"${a[@]}\"",
    "GIT_PAGER=cat git log",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=push-bot git commit -m x",
    "docker compose up -d",
    "tsc && echo done | cat",
    "#!/usr/bin/env python3\na=(x)\nls",
    "git commit -m 'stop using rm -rf x' && node -r dotenv/config a.js",
    "git commit -m 'stop using rm -rf x' && python3 -W error -m pytest",
    "git commit -m 'stop using rm -rf x' && perl -I lib t/a.t",
    "python3 -c 'run([\"git\", \"-c\", \"a.b=c\", \"fetch\"])'",
    "rm -r --interactive=once x",
    "rm -r --interactive= x",
    "cd /; ls *",
    "cd / && du -sh home/*",
    "set +k",
];

#[test]
fn commands_in_programs_of_other_languages() {
    let missed: Vec<String> = CASES
        .iter()
        .map(|(code, text)| (code, text, forbidden_command(text)))
        .filter(|(code, _, found)| *found != Some(**code))
        .map(|(code, text, found)| format!("{text:?}: {found:?} instead of {code:?}"))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn everyday_programs_are_not_forbidden() {
    let wrong: Vec<_> = EVERYDAY.iter().filter_map(|text| Some((text, forbidden_command(text)?))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Every command of the published everyday corpus, except `printenv`, which these tools never run.
#[test]
fn everyday_corpus_is_not_forbidden() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/corpus/shell/everyday");
    let (mut count, mut wrong) = (0, Vec::new());
    for file in fs::read_dir(directory).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| line.starts_with('{')) {
            let row: Value = serde_json::from_str(line).unwrap();
            let command = row["command"].as_str().unwrap();
            count += 1;
            if command.starts_with("printenv ") {
                continue;
            }
            wrong.extend(forbidden_command(command).map(|code| format!("{command:?}: {code:?}")));
        }
    }
    assert!(count > 300, "only {count} commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn program_text_cannot_stop_the_search() {
    for text in ["\"", "`", "'", "qx", "%x", "$(shell", "\\", "qx(", "\u{e9}qx\u{e9}", "%x\u{e9}", "`\u{e9}"]
    {
        assert_eq!(forbidden_command(&format!("perl -e '{}'", text.replace('\'', ""))), None, "{text}");
        let hidden = format!("perl -e '{} system(\"rm -rf x\")'", text.replace('\'', ""));
        assert_eq!(forbidden_command(&hidden), Some(RecursiveDelete), "{text}");
    }
}
