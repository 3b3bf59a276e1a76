//! The whole environment, listed by builtins and by programs of other languages.

use sekisho_tools::forbidden::ForbiddenCode::{ExportVariable, ListVariables};
use sekisho_tools::forbidden::forbidden_command;

/// Each prints all variables or their names.
const LISTINGS: &[&str] = &[
    r#"awk 'BEGIN{for(k in ENVIRON)print k"="ENVIRON[k]}'"#,
    "awk 'BEGIN { for (k in ENVIRON) { print k } }' /dev/null",
    r#"perl -e 'print "$_=$ENV{$_}\n" for keys %ENV'"#,
    r#"perl -e 'while(($k,$v)=each %ENV){print "$k=$v\n"}'"#,
    r"perl -MData::Dumper -e 'print Dumper(\%ENV)'",
    "perl -le 'print for %ENV'",
    "python3 -c 'import os; print(os.environ)'",
    "python3 -c 'import os; print(dict(os.environ))'",
    "python3 -c 'import os,json; print(json.dumps(dict(os.environ)))'",
    r"python3 -c 'import os
for k,v in os.environ.items(): print(k,v)'",
    "python3 -c 'import os; [print(k,v) for k,v in os.environ.items()]'",
    r"python3 <<'E'
import os
print(os.environ)
E",
    "echo 'import os; print(os.environ)' | python3",
    "ruby -e 'puts ENV.to_a'",
    "ruby -e 'p ENV.to_h'",
    "ruby -e 'ENV.each{|k,v| puts k}'",
    "node -e 'console.log(process.env)'",
    "node -p process.env",
    "node -p 'JSON.stringify(process.env)'",
    "node -e 'for (const k in process.env) console.log(k, process.env[k])'",
    "node -e 'console.log(Object.entries(process.env))'",
    "jq -n env",
    "jq -n '$ENV'",
    "jq -nr 'env|to_entries[]|.value'",
    "jq -n 'env | keys'",
    "compgen -e",
    "compgen -A export",
    "for v in $(compgen -e); do echo $v=${!v}; done",
    "declare -p",
    "typeset -p",
    "declare -p | grep -i key",
    "readonly -p",
    "readonly",
    "php -r 'print_r(getenv());'",
    "php -r 'var_dump($_ENV);'",
    "cmake -E environment",
    "x=process.env; node -p $x",
    "$(rev <<< edon) -p process.env",
    "make -p",
    "make -qp",
    "make --print-data-base",
    "gdb -batch -ex 'show environment'",
    "gdb -batch -ex 'show env'",
    "echo 'show env' | gdb",
    "node -p process",
    "node -e 'console.log(process)'",
    "node -e 'const {env}=process; console.log(env)'",
    "python3 -c 'import os; print(os.__dict__)'",
    "/lib64/ld-linux-x86-64.so.2 --list-diagnostics",
    r#"for v in ${!A*}; do echo "$v=${!v}"; done"#,
    r#"for v in $(compgen -v); do echo "$v=${!v}"; done"#,
    r#"compgen -A variable | while read -r v; do echo "${!v}"; done"#,
    "npm run env",
    "npm run-script env",
    "php -i",
    "php --info | grep KEY",
    "systemctl --user show-environment",
    "tmux show-environment -g",
    "mise env",
    r#"python3 -c 'import os; print({k: v for k, v in os.environ.items()})'"#,
    r#"python3 -c 'import os; e = {k: v for k, v in os.environ.items()}; print(e)'"#,
    r#"python3 -c 'import os; {print(k, v): 1 for k, v in os.environ.items()}'"#,
    "ruby -e 'e = ENV.to_h; puts e'",
    "ruby -e 'puts ENV.to_h.merge(1 => 2)'",
    "node -e 'const env = {...process.env}; console.log({ env })'",
    "node -e 'const env = {...process.env}; console.log(\"a\", { env, b: 1 })'",
    "ruby -e 'pp ENV'",
    "export -p",
    "command export -p",
];

#[test]
fn whole_environment_is_not_listed() {
    let listed = |text: &&&str| matches!(forbidden_command(text), Some(ListVariables | ExportVariable));
    let missed: Vec<_> = LISTINGS.iter().filter(|text| !listed(text)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn single_variables_may_be_read() {
    for text in [
        r#"python3 -c 'import os; print(os.environ["HOME"])'"#,
        r#"python3 -c 'import os; print(os.environ.get("HOME"))'"#,
        "node -e 'console.log(process.env.PORT)'",
        "node -p process.env.PATH",
        "perl -e 'print $ENV{HOME}'",
        r#"awk 'BEGIN{print ENVIRON["HOME"]}'"#,
        "jq .env a.json",
        "jq -n '$ENV.HOME'",
        "jq -n 'env.HOME'",
        "jq --arg env prod '.[$env]' a.json",
        "jq '.scripts.env' package.json",
        r#"ruby -e 'puts ENV["HOME"]'"#,
        r#"php -r 'echo getenv("HOME");'"#,
        "declare -p HOME",
        "readonly x=1",
        "typeset -p PATH",
        "compgen -W 'a b' a",
        "compgen -c g",
        "compgen -A function",
        "compgen -A command | sort",
        r#"python3 -c 'import os,subprocess; subprocess.run(["ls"], env={**os.environ, "A": "1"})'"#,
        r#"python3 -c 'import os; e = os.environ.copy(); e["A"]="1"; print(e["A"])'"#,
        r#"node -e 'require("child_process").spawn("ls", {env: process.env})'"#,
        "node process",
        "node -e 'const {env}=process; console.log(env.PORT)'",
        "gdb -batch -ex 'show environment HOME'",
        r#"python3 -c 'import os; print("vars:", len(os.environ))'"#,
        r#"python3 -c 'import os,subprocess; env = {k: v for k, v in os.environ.items() if k != "A"}; subprocess.run(["ls"], env=env)'"#,
        r#"python3 -c 'import os,subprocess; subprocess.run(["ls"], env={k: v for k, v in os.environ.items()})'"#,
        r#"node -e 'const env = { ...process.env, A: "1" }; const p = spawn("npm", ["run", "dev"], { env, stdio: "pipe" }); p.stdout.on("data", d => log(d))'"#,
        r#"node -e 'const env = { ...process.env, A: "1" }; console.log(spawnSync("ls", [], { env }).status)'"#,
        r#"ruby -e 'more = ENV.to_h.merge("A" => "b"); system(more, "rake")'"#,
        r#"ruby -e 'system(ENV.to_h.merge("A" => "b"), "rake")'"#,
        "for v in $(compgen -v APP_); do echo ${!v}; done",
        "npm run env:check",
        "npm run build",
        "php -l a.php",
        "systemctl status x",
        "tmux show-environment -g HOME",
        "mise install",
    ] {
        assert_eq!(forbidden_command(text), None, "{text}");
    }
}
