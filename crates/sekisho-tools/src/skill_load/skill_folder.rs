//! Finds and reads skills.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::contained_read::{ReadError, ReadRoot};
use crate::input_fields::shown;

/// The largest file of a skill, in bytes.
pub const MAX_SKILL: u64 = 256 << 10;
/// The longest name of a skill, in characters.
const MAX_NAME: usize = 64;
/// Where a project has its skills, relative to its root. The first one that has a skill of the name counts.
pub const PROJECT_SKILLS: [&str; 2] = [".sekisho/skills", ".claude/skills"];
/// The file with the instructions of a skill.
const FILE: &str = "SKILL.md";

/// Where a skill was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SkillSource {
    /// In a directory that an administrator listed.
    Listed,
    /// In the project.
    Project,
}

impl SkillSource {
    pub(super) fn name(self) -> &'static str {
        match self {
            SkillSource::Listed => "listed",
            SkillSource::Project => "project",
        }
    }
}

/// A skill as it is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Skill {
    pub(super) name: String,
    pub(super) source: SkillSource,
    pub(super) description: Option<String>,
    /// The file.
    pub(super) path: PathBuf,
    /// The hash of the file, in hexadecimal.
    pub(super) sha256: String,
    /// The text of the file after its front matter.
    pub(super) instructions: String,
}

impl Skill {
    /// Finds a skill: in the listed directories, in their order, then in the project.
    pub(super) fn find(name: &str, listed: &[PathBuf], root: &Path) -> Result<Skill, String> {
        check_name(name)?;
        let in_listed = listed.iter().flat_map(|directory| {
            let own = directory.file_name().is_some_and(|own| own == name);
            let as_skill = own.then(|| (directory.clone(), PathBuf::from(FILE)));
            let below = (directory.clone(), Path::new(name).join(FILE));
            [as_skill, Some(below)]
        });
        let in_listed = in_listed.flatten().map(|place| (SkillSource::Listed, place));
        let in_project = PROJECT_SKILLS.iter().map(|directory| {
            (SkillSource::Project, (root.to_owned(), Path::new(directory).join(name).join(FILE)))
        });
        for (source, (directory, file)) in in_listed.chain(in_project) {
            match ReadRoot::open(&directory)
                .map_err(ReadError::from)
                .and_then(|root| root.read(&file, MAX_SKILL))
            {
                Ok(bytes) => return Skill::read(name, source, directory.join(file), &bytes),
                Err(ReadError::Missing) => {}
                // A directory that does not exist has no skills. One that cannot be read must not be passed over: a
                // project could have a skill of the same name.
                Err(_) if !directory.exists() => {}
                Err(error) => return Err(unreadable(name, &directory.join(file), &error)),
            }
        }
        Err(format!("Unknown skill '{name}'"))
    }

    fn read(name: &str, source: SkillSource, path: PathBuf, bytes: &[u8]) -> Result<Skill, String> {
        let wrong =
            |why: &str| format!("Skill '{name}' cannot be used: {} {why}", shown(&path.to_string_lossy()));
        let text = std::str::from_utf8(bytes).map_err(|_| wrong("is not UTF-8"))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (front, instructions) =
            front_matter(text).ok_or_else(|| wrong("has no front matter between lines `---`"))?;
        let field = |key: &str| {
            let mut values = front.lines().filter_map(|line| line.split_once(':'));
            let (_, value) = values.find(|(found, _)| found.trim_end() == key)?;
            Some(unquoted(value.trim())).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        match field("name") {
            Some(own) if own != name => return Err(wrong(&format!("has the name `{}`", shown(&own)))),
            Some(_) => {}
            None => return Err(wrong("has no `name` in its front matter")),
        }
        let sha256: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let (description, instructions) = (field("description"), instructions.to_owned());
        Ok(Skill { name: name.to_owned(), source, description, path, sha256, instructions })
    }
}

/// A name is one ordinary name of a folder.
fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_usable = !name.is_empty() && !name.starts_with('.') && name.chars().count() <= MAX_NAME;
    match is_usable && name.chars().all(is_plain) {
        true => Ok(()),
        false => Err(format!(
            "Invalid 'name' parameter: '{}' is not the name of a skill: letters, digits, `-`, `_` and `.`, at most {MAX_NAME}",
            shown(name)
        )),
    }
}

fn unreadable(name: &str, path: &Path, error: &ReadError) -> String {
    let why = match error {
        ReadError::Missing => "does not exist".to_owned(),
        ReadError::TooLarge => format!("is larger than {MAX_SKILL} bytes"),
        ReadError::NotAFile => "is not a file, or a link leads out of its directory".to_owned(),
        ReadError::Io(why) => format!("cannot be read: {why}"),
    };
    format!("Skill '{name}' cannot be used: {} {why}", shown(&path.to_string_lossy()))
}

/// The front matter of a text, and what follows it.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    if let Some(rest) = rest.strip_prefix("---\n") {
        return Some(("", rest));
    }
    let (front, after) = rest.split_once("\n---")?;
    let (line_end, after) = after.split_once('\n').unwrap_or((after, ""));
    line_end.trim().is_empty().then_some((front, after))
}

fn unquoted(value: &str) -> &str {
    let inside = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn skill(name: &str, about: &str) -> String {
        format!("---\nname: {name}\ndescription: \"{about}\"\n---\nDo {about}.\n")
    }

    #[test]
    fn listed_skills_come_first() {
        let dir = tempfile::tempdir().unwrap();
        let (listed, root) = (dir.path().join("listed"), dir.path().join("project"));
        write(&listed.join("review/SKILL.md"), &skill("review", "listed"));
        write(&root.join(".sekisho/skills/review/SKILL.md"), &skill("review", "own"));
        write(&root.join(".sekisho/skills/deploy/SKILL.md"), &skill("deploy", "ours"));
        write(&root.join(".claude/skills/deploy/SKILL.md"), &skill("deploy", "theirs"));
        write(&root.join(".claude/skills/notes/SKILL.md"), &skill("notes", "theirs"));
        let find = |name: &str, listed: &[PathBuf]| {
            let skill = Skill::find(name, listed, &root)?;
            Ok::<_, String>((skill.source, skill.description.unwrap(), skill.instructions))
        };
        let expected = |source, about: &str| Ok((source, about.to_owned(), format!("Do {about}.\n")));
        let parent = std::slice::from_ref(&listed);
        assert_eq!(find("review", parent), expected(SkillSource::Listed, "listed"));
        assert_eq!(find("review", &[listed.join("review")]), expected(SkillSource::Listed, "listed"));
        assert_eq!(find("review", &[dir.path().join("none")]), expected(SkillSource::Project, "own"));
        assert_eq!(find("deploy", parent), expected(SkillSource::Project, "ours"));
        assert_eq!(find("notes", &[]), expected(SkillSource::Project, "theirs"));
        assert_eq!(find("other", parent), Err("Unknown skill 'other'".into()));
    }

    #[test]
    fn names_lead_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir.path().join("SKILL.md"), &skill("x", "outside"));
        fs::create_dir_all(dir.path().join("root/.sekisho/skills")).unwrap();
        for name in
            ["", ".", "..", "../..", "a/b", "a\\b", "/etc", ".hidden", "a b", "a\0", "é", &"a".repeat(65)]
        {
            let refused = Skill::find(name, &[], &dir.path().join("root")).unwrap_err();
            assert!(refused.starts_with("Invalid 'name' parameter"), "{name:?}: {refused}");
        }
    }

    #[test]
    fn links_out_of_the_project_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        write(&dir.path().join("outside/SKILL.md"), &skill("far", "outside"));
        write(&root.join("shared/near/SKILL.md"), &skill("near", "inside"));
        fs::create_dir_all(root.join(".sekisho/skills")).unwrap();
        symlink(dir.path().join("outside"), root.join(".sekisho/skills/far")).unwrap();
        symlink("../../shared/near", root.join(".sekisho/skills/near")).unwrap();
        let refused = Skill::find("far", &[], &root).unwrap_err();
        assert!(refused.contains("a link leads out of its directory"), "{refused}");
        let near = Skill::find("near", &[], &root);
        assert!(near.as_ref().is_ok_and(|skill| skill.instructions == "Do inside.\n"), "{near:?}");
    }

    #[test]
    fn unusable_files_are_named() {
        for (text, why) in [
            ("no front matter", "has no front matter"),
            ("---\nname: a\n", "has no front matter"),
            ("---\ndescription: x\n---\n", "has no `name`"),
            ("---\n---\n", "has no `name`"),
            ("---\nname: b\n---\n", "has the name `b`"),
            (&"x".repeat(300 << 10), "is larger than 262144 bytes"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            write(&dir.path().join(".claude/skills/a/SKILL.md"), text);
            let refused = Skill::find("a", &[], dir.path()).unwrap_err();
            assert!(refused.starts_with("Skill 'a' cannot be used: "), "{refused}");
            assert!(refused.contains(why), "{why}: {refused}");
        }
    }
}
