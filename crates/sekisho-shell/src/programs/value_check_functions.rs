//! The functions behind `ValueCheck`: which values each check accepts.

use super::awk;
use super::detail_code::Detail;
use super::value_check::ValueCheck;
use super::{evaluated_words, script_words, sed};

impl ValueCheck {
    /// Whether the check only marks the value as a path.
    fn is_path(&self) -> bool {
        matches!(self, ValueCheck::Read | ValueCheck::Write | ValueCheck::Names | ValueCheck::AtFile)
    }

    /// Whether the value is a path of a file or directory that is read.
    pub(super) fn is_path_to_read(&self) -> bool {
        matches!(
            self,
            ValueCheck::Read
                | ValueCheck::ReadFile
                | ValueCheck::LocalFile
                | ValueCheck::OneFile
                | ValueCheck::StartDirectory
        )
    }

    /// Checks a value. `None` is a computed value.
    pub(super) fn admits(&self, value: Option<&str>) -> Result<(), Detail> {
        if self.is_path() || *self == ValueCheck::Message {
            return Ok(());
        }
        let Some(value) = value else { return Err(Detail::ComputedValue) };
        let (fine, detail) = match self {
            ValueCheck::Read
            | ValueCheck::Write
            | ValueCheck::Names
            | ValueCheck::AtFile
            | ValueCheck::Message
            | ValueCheck::Literal => return Ok(()),
            ValueCheck::ReadFile => (value != "-", Detail::ReadsStandardInput),
            ValueCheck::OneOf(list) => (list.iter().any(|item| item == value), Detail::UnprovenValue),
            ValueCheck::Columns(list) => (prints_only(value, list), Detail::UnprovenValue),
            ValueCheck::GitFormat => (git_format(value), Detail::GitFormat),
            ValueCheck::GitSort => (git_sort(value), Detail::GitSort),
            ValueCheck::GitKey => (git_key(value), Detail::NotASetting),
            ValueCheck::Number => (evaluated_words::is_number(value), Detail::UnprovenValue),
            ValueCheck::Seconds => (is_short(value), Detail::WaitsLong),
            ValueCheck::JqProgram => (jq_program(value), Detail::JqProgram),
            ValueCheck::GitConfig => (git_config(value), Detail::GitSetting),
            ValueCheck::SedScript => (sed::only_prints(value), Detail::SedScript),
            ValueCheck::PrintfFormat => (printf_format(value), Detail::PrintfFormat),
            ValueCheck::AwkProgram => (awk::only_prints(value), Detail::AwkProgram),
            ValueCheck::AwkAssignment => (awk::is_assignment(value), Detail::UnprovenValue),
            ValueCheck::YqPath => (yq_path(value), Detail::YqPath),
            ValueCheck::Encoding => (is_encoding(value), Detail::UnprovenValue),
            ValueCheck::SsFilter => (ss_filter(value), Detail::NamesHost),
            ValueCheck::NotAt => (!value.contains('@'), Detail::UnprovenValue),
            ValueCheck::PlainName => (is_plain_name(value), Detail::UnprovenValue),
            ValueCheck::NoCall => (script_words::calls_nothing(value), Detail::UnprovenValue),
            ValueCheck::NoColon => (!value.contains(':'), Detail::OtherMachine),
            ValueCheck::FzfBindings => (fzf_bindings(value), Detail::UnprovenValue),
            ValueCheck::PlainPath => (is_plain_path(value), Detail::UnprovenValue),
            ValueCheck::OwnerAndName => (is_owner_and_name(value), Detail::OtherMachine),
            ValueCheck::LocalFile => (!value.contains(':'), Detail::OtherMachine),
            ValueCheck::OneFile => (is_one_file(value), Detail::UnprovenValue),
            ValueCheck::ResourceName => (is_resource_name(value), Detail::UnprovenValue),
            ValueCheck::ResourcePath => (is_resource_path(value), Detail::UnprovenValue),
            ValueCheck::PythonVersion => (is_python_version(value), Detail::UnprovenValue),
            ValueCheck::Inline => (is_inline(value), Detail::UnprovenValue),
            ValueCheck::ApiPath => (is_api_path(value), Detail::UnprovenValue),
            ValueCheck::FormulaName => (is_formula_name(value), Detail::UnprovenValue),
            ValueCheck::PackageName => (is_package_name(value), Detail::UnprovenValue),
            ValueCheck::WaitCondition => (is_wait_condition(value), Detail::UnprovenValue),
            ValueCheck::ScriptOperand => (script_words::is_script_operand(value), Detail::UnprovenValue),
            ValueCheck::RustPath => (script_words::is_rust_path(value), Detail::UnprovenValue),
            ValueCheck::JavaTests => (script_words::is_java_tests(value), Detail::UnprovenValue),
            ValueCheck::StartDirectory => (script_words::is_start_directory(value), Detail::UnprovenValue),
            ValueCheck::UnittestTarget => (script_words::is_unittest_target(value), Detail::UnprovenValue),
            ValueCheck::TestPath => (script_words::is_test_path(value), Detail::UnprovenValue),
            ValueCheck::DotnetProject => (script_words::is_dotnet_project(value), Detail::UnprovenValue),
            ValueCheck::TestFilter => (script_words::is_test_filter(value), Detail::UnprovenValue),
            ValueCheck::TestEnvironments => (script_words::are_for_tests(value), Detail::UnprovenValue),
            ValueCheck::ScriptExtensions => (script_words::are_extensions(value), Detail::UnprovenValue),
            ValueCheck::TaskOf(list) => (is_task_of(value, list), Detail::UnprovenValue),
            ValueCheck::PackagePath => (is_package_path(value), Detail::UnprovenValue),
        };
        if fine { Ok(()) } else { Err(detail) }
    }
}

/// Whether a format of Go's templates is text with some of these fields. A bare word may be a format such as `json`, which
/// prints every field.
fn prints_only(format: &str, fields: &[String]) -> bool {
    let mut parts = format.split("{{");
    let start = parts.next().unwrap_or_default().trim();
    let is_field = |part: &str| {
        let Some((field, _)) = part.split_once("}}") else { return false };
        field.trim().strip_prefix('.').is_some_and(|name| fields.iter().any(|field| field == name))
    };
    let is_template = format.contains("{{") || start == "table";
    is_template && !start.contains("}}") && parts.all(is_field)
}

/// Letters, digits and a few signs, and no option.
fn is_plain_path(path: &str) -> bool {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | ' ' | ',');
    path.starts_with(|c: char| is_plain(c) && c != '-' && c != ' ') && path.chars().all(is_plain)
}

/// `KEY:ACTION+ACTION,KEY:ACTION`. An action with a colon or parentheses behind it takes text, and may run it.
fn fzf_bindings(value: &str) -> bool {
    const ACTIONS: &str = "abort accept accept-non-empty backward-char backward-delete-char backward-word beginning-of-line
        cancel clear-query clear-screen clear-selection delete-char deselect deselect-all down end-of-line first forward-char
        forward-word half-page-down half-page-up ignore jump kill-line kill-word last next-selected page-down page-up
        prev-selected preview-bottom preview-down preview-page-down preview-page-up preview-top preview-up print-query
        select select-all toggle toggle-all toggle-down toggle-in toggle-out toggle-preview toggle-preview-wrap
        toggle-search toggle-sort toggle-up top up yank";
    let is_key =
        |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '/');
    let is_action = |action: &str| ACTIONS.split_whitespace().any(|known| known == action);
    value.split(',').all(|binding| {
        binding.split_once(':').is_some_and(|(key, actions)| is_key(key) && actions.split('+').all(is_action))
    })
}

/// `%G…` verifies signatures with a program that the config names, also with the modifiers `%+G`, `%-G`, `%
/// G`. A bare name could be an alias for such a format in the repository's config.
fn git_format(value: &str) -> bool {
    const NAMED: [&str; 9] =
        ["oneline", "short", "medium", "full", "fuller", "reference", "email", "mboxrd", "raw"];
    if NAMED.contains(&value) || value.is_empty() {
        return true;
    }
    if !value.contains('%') && !value.starts_with("format:") && !value.starts_with("tformat:") {
        return false;
    }
    // A remote may be a URL with a password instead of a name.
    if value.contains("signature") || value.contains("describe") || value.contains("remote") {
        return false;
    }
    value.split('%').skip(1).all(|part| !part.trim_start_matches(['+', '-', ' ']).starts_with('G'))
}

/// `signature` and its parts are verified with a program that the config names.
fn git_sort(value: &str) -> bool {
    const FIELDS: [&str; 22] = [
        "refname",
        "objecttype",
        "objectsize",
        "objectname",
        "deltabase",
        "upstream",
        "push",
        "HEAD",
        "symref",
        "author",
        "authorname",
        "authoremail",
        "authordate",
        "committer",
        "committername",
        "committeremail",
        "committerdate",
        "tagger",
        "taggerdate",
        "creator",
        "creatordate",
        "subject",
    ];
    let field = value.strip_prefix('-').unwrap_or(value);
    let field = field.strip_prefix("version:").or_else(|| field.strip_prefix("v:")).unwrap_or(field);
    FIELDS.contains(&field.split(':').next().unwrap_or_default())
}

/// At most a minute, in seconds.
fn is_short(value: &str) -> bool {
    let number = value.strip_suffix('s').unwrap_or(value);
    let plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    plain && number.parse().is_ok_and(|seconds: f32| seconds <= 60.0)
}

/// `git config` looks for a subcommand among its operands, whatever options come first.
fn git_key(value: &str) -> bool {
    const SUBCOMMANDS: [&str; 8] =
        ["list", "get", "set", "unset", "edit", "rename-section", "remove-section", "help"];
    !value.is_empty() && !value.starts_with('-') && !SUBCOMMANDS.contains(&value)
}

/// `import` and `include` load modules, `env` and `$ENV` show variables. `input`, `getpath` and everything
/// else use only jq's own input.
fn jq_program(program: &str) -> bool {
    let words = program.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    !words
        .into_iter()
        .any(|word| matches!(word, "import" | "include" | "env" | "ENV" | "modulemeta" | "get_search_list"))
}

/// `.a.b[0]`, `.a["b"]`, `.a[] | .b`: names, subscripts and pipes. `yq` has operators that load files and show variables;
/// they are words, and a word here always follows a dot.
fn yq_path(path: &str) -> bool {
    let stages = path.split('|').map(str::trim);
    let is_stage = |stage: &str| {
        let mut rest = stage;
        if !rest.starts_with('.') {
            return false;
        }
        while let Some(next) = rest.strip_prefix('.').or_else(|| rest.starts_with('[').then_some(rest)) {
            rest = next.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
            if let Some(subscript) = rest.strip_prefix('[') {
                let Some((inside, after)) = subscript.split_once(']') else { return false };
                let inside =
                    inside.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(inside);
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./ ".contains(c);
                let is_number = inside.chars().all(|c| c.is_ascii_digit() || c == '-');
                if !(is_number || subscript.starts_with('"') && inside.chars().all(is_plain)) {
                    return false;
                }
                rest = after;
            }
        }
        rest.is_empty()
    };
    stages.into_iter().all(is_stage)
}

/// `UTF-8`, `latin1`, `ASCII//TRANSLIT`. Any other slash makes it the path of a file.
fn is_plain_name(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    plain && !name.is_empty() && !name.starts_with('-') && !name.ends_with(".json") && !name.contains("..")
}

/// Programs put names into paths of requests as they are: `/`, `?`, `#`, `:` or `..` would ask for something else.
fn is_resource_name(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "-_.,@+~*".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().all(is_sign)
        && !name.contains("..")
        && is_inline(name)
}

/// Names with slashes and colons between them (`/subscriptions/…`, `repository:tag`), but no host and no way up.
fn is_resource_path(path: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "-_./:,".contains(c);
    !path.is_empty() && path.chars().all(is_sign) && !path.contains("..") && is_inline(path)
}

fn is_python_version(version: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_digit() || ".,<>=!~*".contains(c);
    version.contains(|c: char| c.is_ascii_digit()) && version.chars().all(is_sign)
}

/// `aws` and `az` replace `file://NAME`, `fileb://NAME`, `@NAME` and `key=@NAME` by the content of the file, and a URL names
/// a host. An `@` between letters (`user@example.com`) means nothing to them. `help` opens a pager.
fn is_inline(value: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric();
    let mut parts = value.split('@').peekable();
    let mut between = true;
    while let Some(part) = parts.next() {
        if let Some(next) = parts.peek() {
            between &= part.ends_with(is_name) && next.starts_with(is_name);
        }
    }
    // `table[pager](name)` is a format that starts a pager.
    let starts_pager = value.contains('[') && value.to_ascii_lowercase().contains("pager");
    between
        && !value.starts_with('-')
        && !value.contains("//")
        && value != "help"
        && !starts_pager
        && !climbs(value)
        && !names_host(value)
}

/// Whether a part of a path is `..`.
fn climbs(value: &str) -> bool {
    value.split(['/', '\\']).any(|part| part == "..")
}

/// `evil.example/`, `evil.example:443/x`: names of vaults, accounts and regions become the beginning of a host's name, which
/// what follows a name with a dot would end.
fn names_host(value: &str) -> bool {
    let end = value.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    end.is_some_and(|end| {
        let (name, rest) = value.split_at(end);
        name.contains('.') && rest.starts_with(['/', '?', '#', ':', '\\'])
    })
}

/// The path of one file. A colon would name another machine, a comma or a quote several files, and `-` is standard input.
/// `docker compose` takes what begins with `github.com/` for a repository.
fn is_one_file(path: &str) -> bool {
    path != "-" && !path.contains([':', ',', '"', '#']) && !path.starts_with("github.com/")
}

/// A colon or two slashes would name a host. What stands for a placeholder is chosen by the repository, so it is known only
/// where it is usual. Where the path names secrets, tokens, keys or hooks, the answer can hold some.
fn is_api_path(path: &str) -> bool {
    const HELD_BACK: [&str; 8] =
        ["secret", "token", "credential", "key", "hook", "variable", "graphql", "artifact"];
    let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "-_./{}?=&+,~".contains(c));
    let lower = path.to_ascii_lowercase();
    plain
        && !path.is_empty()
        && !path.starts_with('-')
        && !path.contains("//")
        && !path.contains("..")
        && !path.strip_prefix("repos/{owner}/{repo}").unwrap_or(path).contains(['{', '}'])
        && !HELD_BACK.iter().any(|word| lower.contains(word))
}

/// A slash would name a tap, which is downloaded and whose code is run, or a file, and so would the ending of a file.
fn is_formula_name(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+@".contains(c));
    let is_file = [".rb", ".json", ".gz"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    plain && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && !is_file
}

/// Anything else may be a folder, an archive, an address or a git repository.
fn is_package_name(name: &str) -> bool {
    let (scope, rest) = match name.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some((scope, rest)) => (Some(scope), rest),
            None => return false,
        },
        None => (None, name),
    };
    let (package, version) = rest.split_once('@').unwrap_or((rest, "latest"));
    let archive = [".tgz", ".tar", ".gz"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    scope.is_none_or(is_plain_name)
        && is_plain_name(package)
        && !package.starts_with('.')
        && !archive
        && !version.is_empty()
        && version.chars().all(|c| c.is_ascii_alphanumeric() || "-_.^~<>=*".contains(c))
}

/// What `kubectl wait` waits for: `delete`, `create`, `condition=NAME` or `condition=NAME=VALUE`. A JSON path prints what it
/// cannot filter.
fn is_wait_condition(value: &str) -> bool {
    let condition =
        value.strip_prefix("condition=").map(|rest| rest.split_once('=').unwrap_or((rest, "true")));
    matches!(value, "delete" | "create")
        || condition.is_some_and(|(name, value)| is_plain_name(name) && is_plain_name(value))
}

/// `test`, `:test`, `:app:test`. What comes before the task are names of projects.
fn is_task_of(value: &str, tasks: &[String]) -> bool {
    let (projects, task) = value.rsplit_once(':').unwrap_or(("", value));
    let mut names = projects.strip_prefix(':').unwrap_or(projects).split(':');
    tasks.iter().any(|known| known == task) && (projects.is_empty() || names.all(is_plain_name))
}

/// Names with slashes between them. A leading slash or `..` would lead out of the module.
fn is_package_path(path: &str) -> bool {
    is_plain_path(path) && !path.starts_with('/') && !climbs(path) && !path.contains([' ', ','])
}

/// With three parts, the first is a host.
fn is_owner_and_name(value: &str) -> bool {
    let is_name = |part: &str| is_plain_name(part) && !part.chars().all(|c| c == '.');
    value.split_once('/').is_some_and(|(owner, name)| is_name(owner) && is_name(name))
}

fn is_encoding(name: &str) -> bool {
    let name = name.strip_suffix("//TRANSLIT").or_else(|| name.strip_suffix("//IGNORE")).unwrap_or(name);
    !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c))
        && !name.contains("..")
}

/// `sport = :80`, `state listening`, `( dport = :80 or sport = :443 )`.
fn ss_filter(filter: &str) -> bool {
    const WORDS: [&str; 30] = [
        "sport",
        "dport",
        "src",
        "dst",
        "=",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "eq",
        "neq",
        "ge",
        "le",
        "gt",
        "lt",
        "and",
        "or",
        "not",
        "!",
        "(",
        ")",
        "state",
        "exclude",
        "listening",
        "established",
        "connected",
        "all",
        "time-wait",
    ];
    let is_port = |word: &str| {
        let number = word.strip_prefix(':').unwrap_or(word);
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
    };
    filter.split_whitespace().all(|word| WORDS.contains(&word) || is_port(word))
}

/// Settings that agents pass and that turn something off or change only the look of the output.
pub(super) fn git_config(value: &str) -> bool {
    const EXACT: [&str; 12] = [
        "core.fsmonitor=false",
        "core.fsmonitor=",
        "core.pager=cat",
        "core.pager=",
        "core.hookspath=/dev/null",
        "log.showsignature=false",
        "core.untrackedcache=false",
        "commit.gpgsign=false",
        "tag.gpgsign=false",
        "diff.external=",
        "diff.submodule=short",
        "gc.auto=0",
    ];
    const SWITCHES: [&str; 8] = [
        "core.quotepath",
        "diff.noprefix",
        "diff.mnemonicprefix",
        "diff.renames",
        "log.decorate",
        "log.abbrevcommit",
        "log.follow",
        "log.mailmap",
    ];
    let Some((key, setting)) = value.split_once('=') else { return false };
    let key = key.to_ascii_lowercase();
    if EXACT.iter().any(|known| known.split_once('=') == Some((key.as_str(), setting))) {
        return true;
    }
    if matches!(key.as_str(), "user.name" | "user.email" | "init.defaultbranch") {
        return true;
    }
    if key.starts_with("pager.") {
        return matches!(setting, "cat" | "false" | "");
    }
    let plain = matches!(setting, "true" | "false" | "always" | "never" | "auto" | "on" | "off" | "0" | "1");
    plain && (SWITCHES.contains(&key.as_str()) || key.starts_with("color.") || key.starts_with("advice."))
}

/// `%n` stores a count in the variable that the argument names. Only conversions known to print are accepted.
fn printf_format(format: &str) -> bool {
    let mut rest = format;
    while let Some(at) = rest.find(['\\', '%']) {
        let (_, found) = rest.split_at_checked(at).unwrap_or_default();
        rest = match found.strip_prefix('\\') {
            // A backslash escapes the next letter, but bash does not let it escape a `%`.
            Some(escaped) if escaped.starts_with('%') => escaped,
            Some(escaped) => after_first(escaped),
            None => match after_conversion(after_first(found)) {
                Some(rest) => rest,
                None => return false,
            },
        };
    }
    true
}

fn after_first(text: &str) -> &str {
    let mut letters = text.chars();
    letters.next();
    letters.as_str()
}

/// The text after a conversion that only prints. `text` begins after the `%`.
fn after_conversion(text: &str) -> Option<&str> {
    if text.is_empty() || text.starts_with('%') {
        return Some(after_first(text));
    }
    let bare = text.trim_start_matches(|c: char| c.is_ascii_digit() || "#- +'*.hlLjzt".contains(c));
    if let Some(time) = bare.strip_prefix('(') {
        let (inside, after) = time.split_once(')')?;
        return after.strip_prefix('T').filter(|_| !inside.contains('('));
    }
    bare.starts_with(|c: char| "diouxXeEfFgGaAcsbqQ".contains(c)).then(|| after_first(bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_that_start_programs() {
        for harmful in
            ["%G?", "%+G?", "%h % GK", "%-GS", "alias", "%(describe)", "%(signature:grade)", "%%G%G?"]
        {
            assert!(!git_format(harmful), "{harmful}");
        }
        for harmless in ["%h %s", "oneline", "format:%an", "tformat:x", "%C(auto)%h%d %gd"] {
            assert!(git_format(harmless), "{harmless}");
        }
    }

    #[test]
    fn values_that_stand_for_files() {
        for harmful in [
            "@key.pem",
            "a=@key.pem",
            "file://x",
            "fileb://x",
            "a@=file://x",
            "https://x",
            "-x",
            "help",
            "{a:@x}",
            "a@",
            "x @y",
            "evil.example/",
            "evil.example?",
            "evil.example#",
            "evil.example:443/x",
        ] {
            assert!(!is_inline(harmful), "{harmful}");
        }
        for harmless in
            ["", "user@example.com", "tag:Name=x,Values=a", "arn:aws:iam::1:role/x", "[].{a:b}", "/a/b"]
        {
            assert!(is_inline(harmless), "{harmless}");
        }
    }

    #[test]
    fn names_of_packages() {
        for harmful in ["a/b/c", "./x", "x.rb", "x.RB", "-x", "", "@x", "https://x", "x y"] {
            assert!(!is_formula_name(harmful), "{harmful}");
        }
        for harmful in [
            "https://x",
            "//x",
            "x:1",
            "user/keys",
            "repos/o/r/actions/secrets",
            "graphql",
            "",
            "-x",
            "a%2f",
            "repos/o/r/actions/{branch}",
            "../x",
        ] {
            assert!(!is_api_path(harmful), "{harmful}");
        }
        assert!(is_api_path("repos/{owner}/{repo}/pulls?state=all") && is_api_path("/user"));
        assert!(is_formula_name("python@3.11") && is_formula_name("gtk+3"));
        for harmful in
            ["a/b", "./x", "..", "x.tgz", "git+ssh://x", "@a", "@a/b/c", "a@file:x", "a@", "-x", "a@npm:b"]
        {
            assert!(!is_package_name(harmful), "{harmful}");
        }
        for harmless in ["lodash", "@types/node", "@types/node@20", "react@^18.2.0", "left-pad@latest"] {
            assert!(is_package_name(harmless), "{harmless}");
        }
    }

    #[test]
    fn formats_that_set_variables() {
        for harmful in
            ["%n", "%5n", "a%-3ln", "%%%n", "%(x)T%n", "%\\x6e", "\\%n", "a%(%n)x", "%(%(x)T%n", "%y", "%-%n"]
        {
            assert!(!printf_format(harmful), "{harmful}");
        }
        for harmless in ["%s\\n", "%%n", "100%", "%5.2f|%q\\n", "%(%F)T", "\\%s", "\\\\%s", "\\%%n"] {
            assert!(printf_format(harmless), "{harmless}");
        }
    }
}
