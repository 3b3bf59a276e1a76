//! What the helper is told, as arguments.
//!
//! Arguments and not the environment: the program inherits the environment. Paths are kept byte for byte.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use crate::planned_dir::{DirectoryId, PlannedDir};

/// The port of the proxy inside a network namespace, on the loopback address.
pub const PROXY_PORT: u16 = 3128;

/// Who makes namespaces around the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Nobody.
    #[default]
    None,
    /// The helper.
    Namespaces,
    /// bubblewrap at this path.
    Bubblewrap(PathBuf),
}

/// The socket between the helper and its parent. The helper reports how the program ended, and kills it
/// when the socket is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// The helper's standard input. The program gets `/dev/null` and its own session.
    Stdin,
    /// An inherited descriptor with this number. The program keeps standard input and terminal.
    Descriptor(i32),
}

/// What the helper is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelperPlan {
    /// The directories that the program may write.
    pub writable: Vec<PlannedDir>,
    /// The files and directories that the program must not read. Absolute, without links, and neither above
    /// nor below a writable directory.
    pub hidden: Vec<PathBuf>,
    /// Files and directories below the writable ones that stay read-only. Namespaces are needed for that.
    pub read_only: Vec<PathBuf>,
    /// Directories below the writable ones that can be neither renamed nor removed, though their contents can be
    /// written. Namespaces are needed for that.
    pub pinned: Vec<PathBuf>,
    /// Names below the writable directories that nothing may make or replace. Those in `read_only` exist, the others do
    /// not. The supervisor renames what has one of them afterwards and did not have it before.
    pub settings: Vec<PathBuf>,
    /// Where the program may read files, besides the writable directories and some devices. Absolute and without
    /// links. Everywhere if empty.
    pub readable: Vec<PlannedDir>,
    /// One of the writable directories, which is removed when every process of the program has ended.
    pub temporary: Option<PathBuf>,
    /// The directory that the program starts in.
    pub working_dir: Option<PathBuf>,
    /// Which directory that must be. Without it, any directory at the path is taken.
    pub working_dir_id: Option<DirectoryId>,
    /// Whether symbolic links in the writable directories lead nowhere: opening a path through one fails. Namespaces are
    /// needed for that.
    pub no_links: bool,
    /// Whether the program may start no process. Threads are possible.
    pub single_process: bool,
    /// Whether the program may connect to the proxy. Otherwise it gets no sockets.
    pub proxy: bool,
    /// Whether an old kernel is accepted.
    pub degraded: bool,
    /// Who makes namespaces.
    pub isolation: Isolation,
    /// The socket to the parent. Without it, the helper's own exit code tells how the program ended.
    pub control: Option<Control>,
    /// The most processes of this user.
    pub processes: Option<u64>,
    /// The largest file, in bytes.
    pub file_size: Option<u64>,
    /// The largest address space of a process, in bytes.
    pub memory: Option<u64>,
    /// Set by the helper for its second instance inside bubblewrap: the descriptor for its report.
    pub report: Option<i32>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

/// What is wrong with the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(String);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl HelperPlan {
    /// The arguments of the helper.
    pub fn to_arguments(&self) -> Vec<OsString> {
        let mut list = Arguments(Vec::new());
        for dir in &self.writable {
            list.option("--write", dir.path.as_os_str());
            list.number("--id", dir.id);
        }
        for path in &self.hidden {
            list.option("--hide", path.as_os_str());
        }
        for path in &self.read_only {
            list.option("--read-only", path.as_os_str());
        }
        for path in &self.pinned {
            list.option("--pin", path.as_os_str());
        }
        for path in &self.settings {
            list.option("--setting", path.as_os_str());
        }
        for dir in &self.readable {
            list.option("--read", dir.path.as_os_str());
            list.number("--read-id", dir.id);
        }
        if let Some(dir) = &self.temporary {
            list.option("--temporary", dir.as_os_str());
        }
        if let Some(dir) = &self.working_dir {
            list.option("--dir", dir.as_os_str());
        }
        list.number("--dir-id", self.working_dir_id);
        list.flag("--no-links", self.no_links);
        list.flag("--single-process", self.single_process);
        list.flag("--proxy", self.proxy);
        list.flag("--degraded", self.degraded);
        match &self.isolation {
            Isolation::None => {}
            Isolation::Namespaces => list.flag("--namespaces", true),
            Isolation::Bubblewrap(program) => list.option("--bubblewrap", program.as_os_str()),
        }
        list.number("--control", self.control.map(Control::number));
        list.number("--processes", self.processes);
        list.number("--file-size", self.file_size);
        list.number("--memory", self.memory);
        list.number("--report", self.report);
        list.0.push("--".into());
        list.0.extend(self.command.iter().cloned());
        list.0
    }

    /// Reads the arguments of the helper.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<HelperPlan, PlanError> {
        let mut plan = HelperPlan::default();
        let mut arguments = arguments.into_iter();
        while let Some(option) = arguments.next() {
            let name = option.to_str().unwrap_or_default();
            if name == "--" {
                plan.command = arguments.collect();
                return match plan.command.is_empty() {
                    true => Err(PlanError("the command is missing".into())),
                    false => Ok(plan),
                };
            }
            plan.read_option(name, &mut arguments)?;
        }
        Err(PlanError("`--` and the command are missing".into()))
    }

    fn read_option(
        &mut self,
        name: &str,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), PlanError> {
        let mut value = || rest.next().ok_or_else(|| PlanError(format!("`{name}` needs a value")));
        match name {
            "--write" => self.writable.push(PathBuf::from(value()?).into()),
            "--id" => identify(self.writable.last_mut(), name, "--write", &value()?)?,
            "--hide" => self.hidden.push(value()?.into()),
            "--read-only" => self.read_only.push(value()?.into()),
            "--pin" => self.pinned.push(value()?.into()),
            "--setting" => self.settings.push(value()?.into()),
            "--read" => self.readable.push(PathBuf::from(value()?).into()),
            "--read-id" => identify(self.readable.last_mut(), name, "--read", &value()?)?,
            "--temporary" => self.temporary = Some(value()?.into()),
            "--dir" => self.working_dir = Some(value()?.into()),
            "--dir-id" => self.working_dir_id = Some(number(name, &value()?)?),
            "--no-links" => self.no_links = true,
            "--single-process" => self.single_process = true,
            "--proxy" => self.proxy = true,
            "--degraded" => self.degraded = true,
            "--namespaces" => self.isolation = Isolation::Namespaces,
            "--bubblewrap" => self.isolation = Isolation::Bubblewrap(value()?.into()),
            "--control" => self.control = Some(Control::from_number(number(name, &value()?)?)),
            "--processes" => self.processes = Some(number(name, &value()?)?),
            "--file-size" => self.file_size = Some(number(name, &value()?)?),
            "--memory" => self.memory = Some(number(name, &value()?)?),
            "--report" => self.report = Some(number(name, &value()?)?),
            _ => return Err(PlanError(format!("unknown option `{name}`"))),
        }
        Ok(())
    }

    /// The writable directories without those below another one.
    pub fn outermost_writable(&self) -> Vec<&PlannedDir> {
        let mut sorted: Vec<&PlannedDir> = self.writable.iter().collect();
        sorted.sort_unstable_by_key(|dir| &dir.path);
        sorted.dedup_by_key(|dir| &dir.path);
        let all = sorted.clone();
        let is_below = |dir: &PlannedDir| {
            all.iter().any(|other| other.path != dir.path && dir.path.starts_with(&other.path))
        };
        sorted.retain(|dir| !is_below(dir));
        sorted
    }

    /// The writable directories below a read-only one. They are mounted over it.
    pub(crate) fn writable_in_read_only(&self) -> Vec<&PlannedDir> {
        let is_below = |dir: &PlannedDir| {
            self.read_only.iter().any(|kept| dir.path != *kept && dir.path.starts_with(kept))
        };
        let mut found: Vec<&PlannedDir> = self.writable.iter().filter(|dir| is_below(dir)).collect();
        found.sort_unstable_by_key(|dir| &dir.path);
        found.dedup_by_key(|dir| &dir.path);
        found
    }

    /// The temporary directory, as it is listed among the writable ones.
    pub(crate) fn temporary_dir(&self) -> Option<PlannedDir> {
        let path = self.temporary.as_ref()?;
        let listed = self.writable.iter().find(|dir| dir.path == *path);
        Some(listed.cloned().unwrap_or_else(|| path.clone().into()))
    }
}

impl Control {
    fn number(self) -> i32 {
        match self {
            Control::Stdin => 0,
            Control::Descriptor(number) => number,
        }
    }

    fn from_number(number: i32) -> Control {
        if number == 0 { Control::Stdin } else { Control::Descriptor(number) }
    }
}

/// Sets the id of the directory that came before.
fn identify(dir: Option<&mut PlannedDir>, name: &str, before: &str, value: &OsStr) -> Result<(), PlanError> {
    let dir = dir.ok_or_else(|| PlanError(format!("`{name}` needs a `{before}` before it")))?;
    dir.id = Some(number(name, value)?);
    Ok(())
}

fn number<N: std::str::FromStr>(name: &str, value: &OsStr) -> Result<N, PlanError> {
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| PlanError(format!("the value of `{name}` is not a number")))
}

struct Arguments(Vec<OsString>);

impl Arguments {
    fn option(&mut self, name: &str, value: &OsStr) {
        self.0.extend([name.into(), value.to_owned()]);
    }

    fn flag(&mut self, name: &str, set: bool) {
        self.0.extend(set.then(|| name.into()));
    }

    fn number(&mut self, name: &str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            self.option(name, OsStr::new(&value.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn arguments_are_read_back() {
        let plan = HelperPlan {
            writable: vec![
                PlannedDir { path: "/a b".into(), id: "7:18446744073709551615".parse().ok() },
                PathBuf::from("--").into(),
                PathBuf::from("/a b/c").into(),
            ],
            hidden: vec!["/h".into()],
            read_only: vec!["/a b/.git/config".into()],
            pinned: vec!["/a b/.git".into()],
            settings: vec!["/a b/.git/commondir".into()],
            readable: vec![
                PathBuf::from("/r").into(),
                PlannedDir { path: "/s".into(), id: "1:2".parse().ok() },
            ],
            temporary: Some("/a b/c".into()),
            working_dir: Some("--dir".into()),
            working_dir_id: "3:4".parse().ok(),
            no_links: true,
            single_process: true,
            proxy: true,
            degraded: true,
            isolation: Isolation::Bubblewrap("/usr/bin/bwrap".into()),
            control: Some(Control::Descriptor(7)),
            processes: Some(3),
            file_size: Some(u64::MAX),
            memory: Some(0),
            report: Some(9),
            command: vec!["bash".into(), "--write".into(), "".into()],
        };
        assert_eq!(HelperPlan::parse(plan.to_arguments()), Ok(plan.clone()));
        let outermost: Vec<&Path> = plan.outermost_writable().iter().map(|dir| dir.path.as_path()).collect();
        assert_eq!(outermost, [Path::new("/a b"), Path::new("--")]);
    }

    #[test]
    fn bad_arguments_are_refused() {
        for (arguments, message) in [
            (&[][..], "`--` and the command are missing"),
            (&["--"], "the command is missing"),
            (&["--write"], "`--write` needs a value"),
            (&["--id", "1:2", "--", "true"], "`--id` needs a `--write` before it"),
            (&["--write", "/", "--id", "1", "--", "true"], "the value of `--id` is not a number"),
            (&["--open-network", "--", "true"], "unknown option `--open-network`"),
            (&["--processes", "many", "--", "true"], "the value of `--processes` is not a number"),
        ] {
            let found = HelperPlan::parse(arguments.iter().map(OsString::from));
            assert_eq!(found, Err(PlanError(message.into())));
        }
    }
}
