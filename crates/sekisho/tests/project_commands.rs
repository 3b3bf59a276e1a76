//! The preset `dev` in a project: programs that are installed there, and what their options reach.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::test_home::TestHome;

const ALLOW: i32 = 0;
const CONFIRM: i32 = 3;

/// Checks commands in a project that has programs installed, after `prepare` has changed it.
fn check(prepare: impl Fn(&Path), commands: &[(&str, i32)]) {
    let place = TestHome::new();
    TestHome::write(&place.global(), r#"{ "version": 1, "presets": ["dev"] }"#);
    let workspace = place.project().parent().and_then(Path::parent).unwrap().to_owned();
    for directory in ["src", ".venv/bin", "node_modules/.bin", "node_modules/typescript/bin"] {
        fs::create_dir_all(workspace.join(directory)).unwrap();
    }
    for file in ["src/a.test.ts", "tsconfig.json", "node_modules/typescript/bin/tsc", ".venv/bin/pytest"] {
        fs::write(workspace.join(file), "").unwrap();
    }
    for name in ["tsc", "jest", "cowsay"] {
        symlink("../typescript/bin/tsc", workspace.join("node_modules/.bin").join(name)).unwrap();
    }
    symlink("/usr/bin/python3", workspace.join(".venv/bin/python")).unwrap();
    prepare(&workspace);
    for (command, expected) in commands {
        let said = place.run(&["check", "bash", command]);
        assert_eq!(said.code, *expected, "{command}\n{}", said.out);
    }
}

#[test]
fn installed_programs_are_the_projects_own() {
    check(
        |workspace| fs::write(workspace.join("node_modules/.bin/eslint"), "").unwrap(),
        &[
            ("npx tsc --noEmit", ALLOW),
            ("npx --no-install tsc -p tsconfig.json", ALLOW),
            ("npx jest src/a.test.ts -t 'adds numbers'", ALLOW),
            ("cd src && npx tsc", CONFIRM),
            // Not a link, so a package manager other than npm made it.
            ("npx eslint src", CONFIRM),
            ("npx prettier --check src", CONFIRM),
            ("npx cowsay hi", CONFIRM),
            ("npx -p evil tsc", CONFIRM),
            ("npx -c tsc", CONFIRM),
            ("npx tsc@4 --noEmit", CONFIRM),
            ("npx $X", CONFIRM),
            ("./node_modules/.bin/tsc --noEmit", ALLOW),
            ("node_modules/.bin/jest", ALLOW),
            ("node_modules/.bin/cowsay hi", CONFIRM),
            (".venv/bin/pytest -q", ALLOW),
            (".venv/bin/python -m pytest", ALLOW),
            (".venv/bin/python src/x.py", CONFIRM),
            ("/tmp/.venv/bin/pytest", CONFIRM),
            ("../.venv/bin/pytest", CONFIRM),
            ("bin/pytest", ALLOW),
            ("./bin/pytest", ALLOW),
            ("src/bin/pytest", CONFIRM),
            ("/tmp/bin/pytest", CONFIRM),
        ],
    );
    let elsewhere = |workspace: &Path| {
        fs::remove_dir_all(workspace.join(".venv")).unwrap();
        symlink("/tmp", workspace.join(".venv")).unwrap();
        fs::remove_file(workspace.join("node_modules/.bin/tsc")).unwrap();
        symlink("/bin/true", workspace.join("node_modules/.bin/tsc")).unwrap();
    };
    check(elsewhere, &[(".venv/bin/pytest", CONFIRM), ("npx tsc", CONFIRM)]);
}

#[test]
fn modules_are_judged_as_programs() {
    check(
        |_| {},
        &[
            ("python3 -m pytest -x src", ALLOW),
            ("python -u -m pytest --cov=src --cov-report=term-missing", ALLOW),
            ("python3 -m unittest discover -s src", ALLOW),
            ("python3 -m unittest src timeit.main", CONFIRM),
            ("python3 -m unittest code.interact", CONFIRM),
            ("cat tsconfig.json | python3 -m json.tool", ALLOW),
            ("python3 -m json.tool a.json b.json", CONFIRM),
            ("python3 -m json.tool .env", CONFIRM),
            ("python3 -m pip list", ALLOW),
            ("python3 -m pip install x", CONFIRM),
            ("python3 -m pytest -p evil", CONFIRM),
            ("python3 -m pytest -c /tmp/x.ini", CONFIRM),
            ("python3 -m pytest /tmp", CONFIRM),
            ("python3 -m http.server", CONFIRM),
            ("python3 -c 'import x'", CONFIRM),
            ("python3 -c 1 -m pytest", CONFIRM),
            ("python3 -m \"$M\"", CONFIRM),
            ("PYTHONPATH=/tmp python3 -m pytest", CONFIRM),
            ("cd /tmp && python3 -m pytest", CONFIRM),
        ],
    );
}

#[test]
fn everyday_options_pass() {
    check(
        |workspace| symlink("/etc", workspace.join("etc")).unwrap(),
        &[
            ("RUST_BACKTRACE=1 cargo test", ALLOW),
            ("RUST_LOG=info,mine=debug cargo test", ALLOW),
            ("NODE_ENV=test npm test", ALLOW),
            ("NODE_ENV=production npm test", CONFIRM),
            ("NODE_OPTIONS=--require=./x npm test", CONFIRM),
            ("RUSTC_WRAPPER=./x cargo test", CONFIRM),
            ("npm test -- src/a.test.ts", ALLOW),
            ("npm test src/a.test.ts", CONFIRM),
            ("npm test -- -t 'adds numbers'", ALLOW),
            ("npm run test -- --coverage", ALLOW),
            ("npm test -- --config=evil.js", CONFIRM),
            ("npm test -- '$(touch x)'", CONFIRM),
            ("npm test -- --grep='`x`'", CONFIRM),
            ("npm test -- ../../x", CONFIRM),
            ("npm run deploy -- src", CONFIRM),
            ("tsc --noEmit -p tsconfig.json", ALLOW),
            ("tsc -p /tmp/tsconfig.json", CONFIRM),
            ("tsc -p etc", CONFIRM),
            ("cargo tree -i serde", ALLOW),
            ("rustc x.rs", CONFIRM),
            ("rustup show", ALLOW),
            ("rustup toolchain list", ALLOW),
            ("rustup toolchain install nightly", CONFIRM),
            ("rustup default nightly", CONFIRM),
            ("go env GOPATH GOVERSION", ALLOW),
            ("go env GOPROXY", CONFIRM),
            ("go env", CONFIRM),
            ("prettier --check src", ALLOW),
            ("prettier --write src/*.ts", ALLOW),
            ("prettier src", CONFIRM),
            ("prettier --check '[c]redentials.json'", CONFIRM),
            ("npm test -- https://example.com", CONFIRM),
            ("go env -w GOFLAGS=-toolexec=x", CONFIRM),
            ("go list ./...", ALLOW),
            ("go list -m all", ALLOW),
            ("go list ../x", CONFIRM),
            ("go test -run TestA ./...", ALLOW),
            ("go test -coverprofile=main.go ./...", CONFIRM),
            ("go test -mod=mod example.com/x", CONFIRM),
            ("go mod why github.com/a/b", ALLOW),
            ("go mod tidy", CONFIRM),
        ],
    );
}
