//! The settings that are known to be harmless to read-only commands, as data.
//!
//! A setting is on the list if no git version makes a read-only command start a program, connect, write, or
//! open a file outside of the repository because of it, whatever else the repository or the user's own config
//! says. A setting that is not on the list leads to a question.

use sekisho_policy::git_config::SettingName;

/// Which values of a setting are harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HarmlessValues {
    /// Any value.
    Any,
    /// No value.
    Never,
    /// Values that mean false.
    False,
    /// One of these, ignoring case.
    OneOf(&'static [&'static str]),
    /// A known object format.
    ObjectFormat,
    /// Sort fields that need no program.
    Sort,
    /// A file inside the repository that is named like a pattern file: git prints lines that are not
    /// patterns.
    PatternFile,
    /// A directory without a hook that read-only commands run.
    Hooks,
    /// The directory that contains `.git`.
    WorkTree,
    /// A file inside the repository whose settings are harmless too.
    Include,
}

use HarmlessValues::{Any, False, Hooks, Include, Never, ObjectFormat, OneOf, PatternFile, Sort, WorkTree};

/// A section: its name, and its keys with their harmless values. `*.key` is a key below any subsection, `*`
/// is every key with or without a subsection.
type Section = (&'static str, &'static [(&'static str, HarmlessValues)]);

const EVERY: &[(&str, HarmlessValues)] = &[("*", Any)];

/// Sorted by name.
const SECTIONS: &[Section] = &[
    ("absorb", EVERY),
    ("add", EVERY),
    ("advice", EVERY),
    ("alias", EVERY),
    ("am", EVERY),
    ("apply", EVERY),
    ("attr", &[("tree", Any)]),
    ("author", EVERY),
    ("bash", EVERY),
    ("bitmappseudomerge", EVERY),
    ("blame", BLAME),
    ("branch", &[("sort", Sort), ("autosetupmerge", Any), ("autosetuprebase", Any), ("*.*", Any)]),
    ("branchless", EVERY),
    ("browser", EVERY),
    ("bugtraq", EVERY),
    ("bundle", EVERY),
    ("checkout", EVERY),
    ("cinnabar", EVERY),
    ("clean", EVERY),
    ("clone", EVERY),
    ("color", EVERY),
    ("column", EVERY),
    ("commit", EVERY),
    ("commitgraph", EVERY),
    ("committer", EVERY),
    ("completion", EVERY),
    ("core", CORE),
    ("credential", EVERY),
    ("credentialcache", EVERY),
    ("credentialstore", EVERY),
    ("delta", EVERY),
    ("diff", DIFF),
    ("difftool", EVERY),
    ("extensions", EXTENSIONS),
    ("fastimport", EVERY),
    ("feature", EVERY),
    ("fetch", FSCK),
    ("forge", EVERY),
    ("format", FORMAT),
    ("fsck", FSCK),
    ("gc", EVERY),
    ("gerrit", EVERY),
    ("git-p4", EVERY),
    ("git-spice", EVERY),
    ("git-town", EVERY),
    ("git-town-branch", EVERY),
    ("gitbutler", EVERY),
    ("gitcvs", EVERY),
    ("gitflow", EVERY),
    ("github", EVERY),
    ("gitlab", EVERY),
    ("gitreview", EVERY),
    ("gitweb", EVERY),
    ("gpg", &[("format", OneOf(&["openpgp", "x509", "ssh"])), ("mintrustlevel", Any)]),
    // With `fullname`, the names it prints are not relative to the current directory.
    ("grep", &[("fullname", False), ("*", Any)]),
    ("gui", EVERY),
    ("guitool", EVERY),
    ("help", EVERY),
    ("hooks", EVERY),
    ("http", EVERY),
    ("hub", EVERY),
    ("husky", EVERY),
    ("i18n", EVERY),
    ("imap", EVERY),
    ("include", &[("path", Include)]),
    ("includeif", &[("*.path", Include)]),
    ("index", EVERY),
    ("init", EVERY),
    ("instaweb", EVERY),
    ("interactive", EVERY),
    ("lfs", LFS),
    ("log", LOG),
    ("lsrefs", EVERY),
    ("machete", EVERY),
    ("magit", EVERY),
    ("mailinfo", EVERY),
    ("mailmap", &[("blob", Any)]),
    ("maintenance", EVERY),
    ("man", EVERY),
    ("merge", MERGE),
    ("mergetool", EVERY),
    ("notes", EVERY),
    ("oh-my-zsh", EVERY),
    ("pack", EVERY),
    ("pager", &[("*", OneOf(&["false", "true", "cat", ""]))]),
    ("protocol", EVERY),
    ("pull", EVERY),
    ("push", EVERY),
    ("rebase", EVERY),
    ("receive", FSCK),
    ("reftable", EVERY),
    ("remote", REMOTE),
    ("remotes", EVERY),
    ("repack", EVERY),
    ("rerere", EVERY),
    ("revert", EVERY),
    ("safe", EVERY),
    ("sendemail", EVERY),
    ("sequence", EVERY),
    ("showbranch", EVERY),
    ("sparse", EVERY),
    ("spice", EVERY),
    ("ssh", EVERY),
    ("stash", EVERY),
    ("status", STATUS),
    ("stgit", EVERY),
    ("submodule", SUBMODULE),
    ("svn", EVERY),
    ("svn-remote", EVERY),
    ("tag", &[("sort", Sort), ("forcesignannotated", Any), ("gpgsign", Any)]),
    ("tar", EVERY),
    ("tgit", EVERY),
    ("tig", EVERY),
    ("trailer", EVERY),
    ("transfer", EVERY),
    ("uploadarchive", EVERY),
    ("uploadpack", EVERY),
    ("uploadpackfilter", EVERY),
    ("url", EVERY),
    ("user", EVERY),
    ("versionsort", EVERY),
    ("vscode", EVERY),
    ("web", EVERY),
    ("worktree", EVERY),
];

/// Without `ignoreRevsFile`: git quotes lines that are not commits in an error message.
const BLAME: &[(&str, HarmlessValues)] = &[
    ("blankboundary", Any),
    ("coloring", Any),
    ("date", Any),
    ("markignoredlines", Any),
    ("markunblamablelines", Any),
    ("showemail", Any),
    ("showroot", Any),
];

/// Commands for connections (`sshCommand`, `gitProxy`, `askPass`) are started only by a fetch, and without a
/// promisor no read-only command fetches. No read-only command starts an editor.
const CORE: &[(&str, HarmlessValues)] = &[
    ("abbrev", Any),
    ("askpass", Any),
    ("attributesfile", PatternFile),
    ("autocrlf", Any),
    ("bare", Any),
    ("bigfilethreshold", Any),
    ("checkroundtripencoding", Any),
    ("checkstat", Any),
    ("commentchar", Any),
    ("commentstring", Any),
    ("commitgraph", Any),
    ("compression", Any),
    ("createobject", Any),
    ("deltabasecachelimit", Any),
    ("editor", Any),
    ("eol", Any),
    ("excludesfile", PatternFile),
    ("filemode", Any),
    ("filesreflocktimeout", Any),
    ("fscache", Any),
    ("fsmonitor", False),
    ("fsmonitorhookversion", Any),
    ("fsync", Any),
    ("fsyncmethod", Any),
    ("fsyncobjectfiles", Any),
    ("gitproxy", Any),
    ("hidedotfiles", Any),
    ("hookspath", Hooks),
    ("ignorecase", Any),
    ("ignorestat", Any),
    ("logallrefupdates", Any),
    ("longpaths", Any),
    ("loosecompression", Any),
    ("maxtreedepth", Any),
    ("multipackindex", Any),
    ("notesref", Any),
    ("packedgitlimit", Any),
    ("packedgitwindowsize", Any),
    ("packedrefstimeout", Any),
    ("pager", OneOf(&["cat", "less", ""])),
    ("precomposeunicode", Any),
    ("prefersymlinkrefs", Any),
    ("preloadindex", Any),
    ("protecthfs", Any),
    ("protectntfs", Any),
    ("quotepath", Any),
    ("repositoryformatversion", OneOf(&["0", "1"])),
    ("restrictinheritedhandles", Any),
    ("safecrlf", Any),
    ("sharedrepository", Any),
    ("sparsecheckout", Any),
    ("sparsecheckoutcone", Any),
    ("splitindex", False),
    ("sshcommand", Any),
    ("symlinks", Any),
    ("trustctime", Any),
    ("unsetenvvars", Any),
    ("untrackedcache", Any),
    ("usereplacerefs", Any),
    ("warnambiguousrefs", Any),
    ("whitespace", Any),
    ("worktree", WorkTree),
];

/// Of a driver, only what describes its text. `submodule` set to `log` or `diff` reads repositories that
/// history names.
const DIFF: &[(&str, HarmlessValues)] = &[
    ("algorithm", Any),
    ("autorefreshindex", Any),
    ("colormoved", Any),
    ("colormovedws", Any),
    ("context", Any),
    ("dirstat", Any),
    ("dstprefix", Any),
    ("guitool", Any),
    ("ignoresubmodules", Any),
    ("indentheuristic", Any),
    ("interhunkcontext", Any),
    ("mnemonicprefix", Any),
    ("noprefix", Any),
    ("relative", False),
    ("renamelimit", Any),
    ("renames", Any),
    ("srcprefix", Any),
    ("statgraphwidth", Any),
    ("statnamewidth", Any),
    ("submodule", OneOf(&["short"])),
    ("suppressblankempty", Any),
    ("tool", Any),
    ("trustexitcode", Any),
    ("wordregex", Any),
    ("wserrorhighlight", Any),
    ("*.algorithm", Any),
    ("*.binary", Any),
    ("*.funcname", Any),
    ("*.trustexitcode", Any),
    ("*.wordregex", Any),
    ("*.xfuncname", Any),
];

/// Newer versions accept a path in `refStorage`.
const EXTENSIONS: &[(&str, HarmlessValues)] = &[
    ("noop", Any),
    ("objectformat", ObjectFormat),
    ("preciousobjects", Any),
    ("refstorage", OneOf(&["files", "reftable"])),
    ("relativeworktrees", Any),
    ("worktreeconfig", Any),
];

/// Without `skipList`: git quotes lines that are not objects in an error message.
const FSCK: &[(&str, HarmlessValues)] = &[("skiplist", Never), ("*.skiplist", Never), ("*", Any)];

/// Without the programs that its filters start, and the directory that they write to.
const LFS: &[(&str, HarmlessValues)] = &[
    ("*.clean", Never),
    ("*.smudge", Never),
    ("*.path", Never),
    ("*.args", Never),
    ("*.standalonetransferagent", Never),
    ("standalonetransferagent", Never),
    ("storage", Never),
    ("*", Any),
];

/// `pretty` can verify signatures (`%G?`) with a program that the config names.
const FORMAT: &[(&str, HarmlessValues)] = &[
    ("attach", Any),
    ("cc", Any),
    ("coverfromdescription", Any),
    ("coverletter", Any),
    ("encodeemailheaders", Any),
    ("filenamemaxlength", Any),
    ("forceinbodyfrom", Any),
    ("from", Any),
    ("headers", Any),
    ("mboxrd", Any),
    ("noprefix", Any),
    ("notes", Any),
    ("numbered", Any),
    (
        "pretty",
        OneOf(&["oneline", "short", "medium", "full", "fuller", "reference", "email", "mboxrd", "raw"]),
    ),
    ("signature", Any),
    ("signoff", Any),
    ("subjectprefix", Any),
    ("suffix", Any),
    ("thread", Any),
    ("to", Any),
    ("useautobase", Any),
];

/// `remerge` runs merge drivers and writes objects.
const LOG: &[(&str, HarmlessValues)] = &[
    ("abbrevcommit", Any),
    ("date", Any),
    ("decorate", Any),
    (
        "diffmerges",
        OneOf(&[
            "off",
            "none",
            "on",
            "first-parent",
            "1",
            "separate",
            "m",
            "combined",
            "c",
            "dense-combined",
            "cc",
        ]),
    ),
    ("excludedecoration", Any),
    ("follow", Any),
    ("graphcolors", Any),
    ("initialdecorationset", Any),
    ("mailmap", Any),
    ("showroot", Any),
    ("showsignature", False),
];

/// Without drivers: the user's own config may make `git log` merge again.
const MERGE: &[(&str, HarmlessValues)] = &[
    ("autostash", Any),
    ("branchdesc", Any),
    ("conflictstyle", Any),
    ("defaulttoupstream", Any),
    ("directoryrenames", Any),
    ("ff", Any),
    ("guitool", Any),
    ("log", Any),
    ("renamelimit", Any),
    ("renames", Any),
    ("renormalize", Any),
    ("stat", Any),
    ("suppressdest", Any),
    ("tool", Any),
    ("verbosity", Any),
    ("verifysignatures", Any),
    ("*.name", Any),
];

/// Without a promisor no read-only command fetches, so URLs and programs for fetching are only text.
const REMOTE: &[(&str, HarmlessValues)] =
    &[("*.promisor", False), ("*.partialclonefilter", Never), ("pushdefault", Any), ("*.*", Any)];

/// A summary of submodules reads the repositories that the index names, with `git submodule`, a shell script.
const STATUS: &[(&str, HarmlessValues)] = &[
    ("aheadbehind", Any),
    ("branch", Any),
    ("displaycommentprefix", Any),
    ("relativepaths", Any),
    ("renamelimit", Any),
    ("renames", Any),
    ("short", Any),
    ("showstash", Any),
    ("showuntrackedfiles", Any),
    ("submodulesummary", False),
];

/// Without `recurse`, which makes `git grep` read repositories that history names.
const SUBMODULE: &[(&str, HarmlessValues)] = &[
    ("active", Any),
    ("alternateerrorstrategy", Any),
    ("alternatelocation", Any),
    ("fetchjobs", Any),
    ("propagatebranches", Any),
    ("recurse", False),
    ("*.active", Any),
    ("*.branch", Any),
    ("*.fetchrecursesubmodules", Any),
    ("*.ignore", Any),
    ("*.shallow", Any),
    ("*.update", Any),
    ("*.url", Any),
];

/// Sort fields that do not verify signatures.
const SORT_FIELDS: &[&str] = &[
    "refname",
    "objecttype",
    "objectsize",
    "objectname",
    "deltabase",
    "upstream",
    "push",
    "head",
    "symref",
    "worktreepath",
    "author",
    "authorname",
    "authoremail",
    "authordate",
    "committer",
    "committername",
    "committeremail",
    "committerdate",
    "tagger",
    "taggername",
    "taggeremail",
    "taggerdate",
    "creator",
    "creatordate",
    "subject",
    "body",
    "contents",
];

/// The harmless values of a setting; `None` if it is not on the list.
pub(super) fn harmless_values(name: &SettingName<'_>) -> Option<HarmlessValues> {
    let at = SECTIONS.binary_search_by(|(section, _)| section.as_bytes().cmp(name.section)).ok()?;
    let (_, keys) = SECTIONS.get(at)?;
    keys.iter().find(|(pattern, _)| is_named(pattern, name)).map(|(_, values)| *values)
}

fn is_named(pattern: &str, name: &SettingName<'_>) -> bool {
    match (pattern, pattern.strip_prefix("*.")) {
        ("*", _) => true,
        (_, None) => name.subsection.is_none() && pattern.as_bytes() == name.key,
        (_, Some("*")) => name.subsection.is_some(),
        (_, Some(key)) => name.subsection.is_some() && key.as_bytes() == name.key,
    }
}

/// Whether git reads a value as false. A key without a value is true.
pub(super) fn is_false(value: Option<&[u8]>) -> bool {
    is_one_of(value, &["false", "no", "off", "0", ""])
}

/// Whether a value is in a list, ignoring case. A key without a value is `true`.
pub(super) fn is_one_of(value: Option<&[u8]>, list: &[&str]) -> bool {
    let value = value.unwrap_or(b"true");
    list.iter().any(|item| item.as_bytes().eq_ignore_ascii_case(value))
}

/// Whether git sorts by a value without a program: `-version:refname`, `authordate:iso`.
pub(super) fn is_plain_sort(value: Option<&[u8]>) -> bool {
    let Some(Ok(value)) = value.map(std::str::from_utf8) else { return false };
    let field = value.strip_prefix('-').unwrap_or(value);
    let field = field.strip_prefix("version:").or_else(|| field.strip_prefix("v:")).unwrap_or(field);
    let field = field.split(':').next().unwrap_or_default().to_ascii_lowercase();
    SORT_FIELDS.contains(&field.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_sorted() {
        assert!(SECTIONS.is_sorted_by(|(one, _), (other, _)| one < other));
    }

    #[test]
    fn names_are_found_with_and_without_subsection() {
        let expected = [
            ("core.fsmonitor", Some(False)),
            ("core.x.fsmonitor", None),
            ("core.x.bare", None),
            ("branch.sort", Some(Sort)),
            ("branch.a.b.merge", Some(Any)),
            ("branch.sort.merge", Some(Any)),
            ("branch.description", None),
            ("user.name", Some(Any)),
            ("color.diff.meta", Some(Any)),
            ("diff.x.textconv", None),
            ("diff.x.xfuncname", Some(Any)),
            ("diff.external", None),
            ("remote.origin.url", Some(Any)),
            ("remote.origin.promisor", Some(False)),
            ("remote.origin.partialclonefilter", Some(Never)),
            ("includeif.onbranch:main.path", Some(Include)),
            ("hook.x.command", None),
            ("gpg.program", None),
            ("fsck.skiplist", Some(Never)),
            ("fetch.fsck.skiplist", Some(Never)),
            ("fetch.prune", Some(Any)),
            ("lfs.extension.x.clean", Some(Never)),
            ("lfs.https://example.com/.locksverify", Some(Any)),
            ("grep.fullname", Some(False)),
            ("grep.linenumber", Some(Any)),
            ("diff.relative", Some(False)),
            (".x", None),
        ];
        for (name, values) in expected {
            assert_eq!(harmless_values(&SettingName::new(name.as_bytes()).unwrap()), values, "{name}");
        }
    }

    #[test]
    fn values_are_compared_as_git_reads_them() {
        assert!(
            is_false(Some(b"False")) && is_false(Some(b"")) && !is_false(None) && !is_false(Some(b"./x"))
        );
        assert!(is_plain_sort(Some(b"-version:refname")) && is_plain_sort(Some(b"authordate:iso")));
        assert!(!is_plain_sort(Some(b"signature:grade")) && !is_plain_sort(Some(b"-signature")));
        assert!(!is_plain_sort(None));
    }
}
