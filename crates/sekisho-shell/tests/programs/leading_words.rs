//! How rules name a command: leading words, depth, danger.

use sekisho_shell::programs::ProgramDangerLevel;

use crate::support::profile;

#[test]
fn global_options_are_removed() {
    for (command, expected) in [
        ("git push origin main", "git push origin main"),
        ("git -C d push", "git push"),
        ("git --no-pager -c x=y push -f", "git push -f"),
        ("git --git-dir d --work-tree=e push", "git push"),
        ("docker --context x rm y", "docker rm y"),
        ("docker -H tcp://h compose -f f up -d", "docker compose up -d"),
        ("npm --prefix d publish", "npm publish"),
        ("kubectl -n x delete pod y", "kubectl delete pod y"),
        ("cargo +nightly build", "cargo build"),
        ("/usr/bin/git push", "git push"),
        ("terraform -chdir=d apply", "terraform apply"),
        ("rm -rf x", "rm -rf x"),
        ("strange a b", "strange a b"),
    ] {
        assert_eq!(profile(command).leading_words.join(" "), expected, "{command}");
    }
}

#[test]
fn unknown_options_give_every_alternative() {
    let offers = |command: &str, expected: &str| {
        let profile = profile(command);
        let all = std::iter::once(&profile.leading_words).chain(&profile.leading_alternatives);
        let found = all.clone().any(|words| words.join(" ").starts_with(expected));
        assert!(found, "{command}: {:?}", all.collect::<Vec<_>>());
    };
    offers("git --new push", "git push");
    offers("git --new value push", "git push");
    offers("git --new a --newer b push", "git push");
    offers("git $x push", "git push");
    offers("docker --new x compose -q up", "docker compose");
    offers("npm run --silent build", "npm run build");
    offers("strange --option value sub", "strange value sub");
    assert!(profile("git $x").leading_open);
    assert!(!profile("git push").leading_open);
}

#[test]
fn depth_of_rules() {
    for (command, depth, never_bare) in [
        ("git push", 2, true),
        ("npm run build", 3, true),
        ("npm test", 2, true),
        ("docker compose up", 3, true),
        ("cargo build", 2, true),
        ("ls", 1, false),
        ("rm x", 1, true),
        ("python x", 1, true),
        ("sudo ls", 1, true),
        ("strange", 1, false),
    ] {
        let profile = profile(command);
        assert_eq!((profile.depth, profile.never_bare), (depth, never_bare), "{command}");
    }
    for (command, expected) in [
        ("git push", false),
        ("git clean -f", true),
        ("docker run x", true),
        ("docker pull x", false),
        ("rm x", false),
    ] {
        assert_eq!(profile(command).never_by_subcommand, expected, "{command}");
    }
}

#[test]
fn dangers() {
    for (command, level) in [
        ("rm -r x", Some(ProgramDangerLevel::Danger)),
        ("git push", Some(ProgramDangerLevel::Caution)),
        ("git push --force", Some(ProgramDangerLevel::Danger)),
        ("git push origin -f", Some(ProgramDangerLevel::Danger)),
        ("git reset --hard", Some(ProgramDangerLevel::Danger)),
        ("find . -delete", Some(ProgramDangerLevel::Danger)),
        ("npx x", Some(ProgramDangerLevel::Danger)),
        ("curl x", Some(ProgramDangerLevel::Caution)),
        ("curl -d @x y", Some(ProgramDangerLevel::Danger)),
        ("sed -i s/a/b/ x", Some(ProgramDangerLevel::Caution)),
        ("cat x", None),
        ("git status", None),
        ("git config --get a", None),
        ("git config a b", Some(ProgramDangerLevel::Caution)),
    ] {
        assert_eq!(profile(command).danger.map(|danger| danger.level), level, "{command}");
    }
}
