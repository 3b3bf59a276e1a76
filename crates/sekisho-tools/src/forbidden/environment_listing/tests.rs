use super::*;

#[track_caller]
fn check(rows: &[(&str, &str, bool)]) {
    for (program, text, expected) in rows {
        let words = [Argument::literal(text)];
        let found = lists_environment(&Argument::literal(program), &words, &Budget::default());
        assert_eq!(found, *expected, "{program} {text}");
    }
}

#[test]
fn listings_of_scripts_are_told_from_single_variables() {
    check(&[
        ("python3", "import os; print(os.environ)", true),
        ("python3", "import os; print(dict(os.environ))", true),
        ("python3", "import os,json; print(json.dumps(dict(os.environ)))", true),
        ("python3", "import os\nfor k, v in os.environ.items(): print(k, v)", true),
        ("python3", "import os; [print(k) for k in os.environ]", true),
        ("python3", "from os import environ as e; print(e)", true),
        ("python3", "from os import environ; print(environ)", true),
        ("python3", "import os; e = dict(os.environ); print(e)", true),
        ("python3", "import os; print(os.environ[\"HOME\"])", false),
        ("python3", "import os; print(os.environ.get(\"HOME\"))", false),
        ("python3", "import os; print('A' in os.environ)", false),
        ("python3", "import os; e = os.environ.copy(); e['A'] = '1'; run(x, env=e)", false),
        ("python3", "import os; print(run(x, env=os.environ))", false),
        ("python3", "import os; run(x, env={**os.environ, 'A': '1'})", false),
        ("node", "console.log(process.env)", true),
        ("node", "console.log(JSON.stringify(process.env))", true),
        ("node", "for (const k in process.env) console.log(k)", true),
        ("node", "process.env", true),
        ("node", "const e = process.env; console.log(e)", true),
        ("node", "console.log(process)", true),
        ("node", "const {env}=process; console.log(env)", true),
        ("node", "const { env: e } = require('process'); for (const k in e) console.log(k)", true),
        ("node", "import {env} from 'node:process'; console.log(JSON.stringify(env))", true),
        ("node", "const {env} = process; console.log(env.PORT)", false),
        ("node", "const { argv } = process; console.log(argv)", false),
        ("node", "console.log('done', 'the process')", false),
        ("node", "console.log(process.argv)", false),
        ("node", "process", false),
        ("python3", "import os; print(os.__dict__)", true),
        ("python3", "import os; print(vars(os))", true),
        ("python3", "print(os.__dict__['sep'])", false),
        ("node", "console.log(process.env.PORT)", false),
        ("node", "spawn('a', { env: process.env })", false),
        ("node", "const { PORT } = process.env; console.log(PORT)", false),
        ("node", "console.log('A' in process.env)", false),
    ]);
}

#[test]
fn listings_of_programs_are_told_from_single_variables() {
    check(&[
        ("gdb", "show env", true),
        ("gdb", "show environment", true),
        ("gdb", "show environment HOME", false),
        ("make", "-p", true),
        ("gmake", "-qp", true),
        ("make", "-pf", true),
        ("make", "--print-data-base", true),
        ("make", "--print-directory", false),
        ("make", "-j4", false),
        ("make", "-Cp", false),
        ("/lib64/ld-linux-x86-64.so.2", "--list-diagnostics", true),
        ("ld.so", "--list", false),
        ("perl", "print \"$_=$ENV{$_}\\n\" for keys %ENV", true),
        ("perl", "print %ENV", true),
        ("perl", "print $ENV{HOME}", false),
        ("perl", "%ENV = (); exec @ARGV", false),
        ("ruby", "puts ENV.to_a", true),
        ("ruby", "p ENV", true),
        ("ruby", "ENV.each { |k, v| puts k }", true),
        ("ruby", "puts ENV[\"HOME\"]", false),
        ("ruby", "puts ENV.fetch(\"HOME\")", false),
        ("awk", "BEGIN{for(k in ENVIRON)print k}", true),
        ("awk", "BEGIN{print ENVIRON[\"HOME\"]}", false),
        ("php", "print_r(getenv());", true),
        ("php", "print_r($_ENV);", true),
        ("php", "echo getenv('HOME');", false),
        ("jq", "env", true),
        ("jq", "$ENV", true),
        ("jq", "env|to_entries[]", true),
        ("jq", "$ENV.HOME", false),
        ("jq", "env.HOME", false),
        ("jq", ".env", false),
        ("jq", "{env: .a}", false),
        ("jq", "{env}", false),
        ("jq", ".a[$env]", false),
        ("jq", ".[\"env\"]", false),
        ("compgen", "-e", true),
        ("compgen", "-W", false),
    ]);
}
