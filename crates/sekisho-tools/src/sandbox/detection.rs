//! What this machine can enforce.
//!
//! Found by starting the helper with each kind of isolation, and not by reading files that say what the
//! kernel could do: security modules, containers and mounts decide too.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sekisho_sandbox::{DirectoryId, HelperPlan, Isolation, Mount, PlannedDir};

use super::error::SandboxError;
use super::kept_files::{self, KeptFiles};
use super::level::SandboxLevel;
use super::mounts;
use super::paths::{outermost, real_path};
use super::settings::{Links, Network, RequiredLevel, SandboxSettings, ToolSettings};

/// The programs of sekisho, which are installed in one directory.
const PROGRAMS: [&str; 3] = ["sekisho", "sekisho-hook", "sekisho-sandbox"];

/// The most processes of a sandboxed program's user.
const PROCESSES: u64 = 4096;

/// What this machine can enforce, and how the helper is started for it.
#[derive(Clone, Debug)]
pub struct Sandbox {
    helper: PathBuf,
    isolation: Isolation,
    level: SandboxLevel,
    why: Option<String>,
    hidden: Vec<PathBuf>,
}

impl Sandbox {
    /// Finds the strongest sandbox. `helper` is the path of `sekisho-sandbox`, `bubblewrap` that of `bwrap` if
    /// it may be used. Starts the helper up to three times.
    pub fn detect(helper: &Path, bubblewrap: Option<&Path>) -> Sandbox {
        let mut kinds: Vec<(Isolation, SandboxLevel)> = Vec::new();
        let bubblewrap = bubblewrap.filter(|program| program.is_file());
        kinds.extend(
            bubblewrap.map(|program| (Isolation::Bubblewrap(program.into()), SandboxLevel::Bubblewrap)),
        );
        kinds.push((Isolation::Namespaces, SandboxLevel::Namespaces));
        kinds.push((Isolation::None, SandboxLevel::Landlock));
        let mut problems = Vec::new();
        for (isolation, level) in kinds {
            match try_out(helper, &isolation, false) {
                Ok(()) => return Sandbox::new(helper, isolation, level, problems),
                Err(why) => problems.push(format!("{level}: {why}")),
            }
        }
        let partial = try_out(helper, &Isolation::None, true);
        let level = if partial.is_ok() { SandboxLevel::Partial } else { SandboxLevel::None };
        Sandbox::new(helper, Isolation::None, level, problems)
    }

    /// The sandbox at a level, without trying it. Starting a program fails if the level cannot be had.
    pub fn at_level(helper: &Path, isolation: Isolation) -> Sandbox {
        let level = match isolation {
            Isolation::None => SandboxLevel::Landlock,
            Isolation::Namespaces => SandboxLevel::Namespaces,
            Isolation::Bubblewrap(_) => SandboxLevel::Bubblewrap,
        };
        Sandbox::new(helper, isolation, level, Vec::new())
    }

    fn new(helper: &Path, isolation: Isolation, level: SandboxLevel, problems: Vec<String>) -> Sandbox {
        let why = Some(problems.join("; ")).filter(|why| !why.is_empty());
        Sandbox { helper: helper.to_owned(), isolation, level, why, hidden: Vec::new() }
    }

    /// Keeps programs from reading these files and directories, which need not exist yet. Relative paths are
    /// ignored.
    #[must_use]
    pub fn hiding(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Sandbox {
        self.hidden.extend(paths.into_iter().filter(|path| path.is_absolute()).map(|path| real_path(&path)));
        self.hidden = outermost(self.hidden);
        self
    }

    /// The level of programs started here.
    pub fn level(&self) -> SandboxLevel {
        self.level
    }

    /// Why a higher level cannot be had. None at the first level that was tried.
    pub fn why(&self) -> Option<&str> {
        self.why.as_deref()
    }

    /// The path of the helper.
    pub fn helper(&self) -> &Path {
        &self.helper
    }

    /// The plan for a program, or why it cannot run here.
    pub fn plan(
        &self,
        settings: &SandboxSettings,
        command: Vec<OsString>,
    ) -> Result<HelperPlan, SandboxError> {
        let degraded = settings.level == RequiredLevel::Degraded;
        if self.level < SandboxLevel::Landlock && !degraded {
            return Err(SandboxError::Level(self.why.clone().unwrap_or_default()));
        }
        let proxy = matches!(settings.network, Network::Hosts(_));
        if proxy && self.level < SandboxLevel::Namespaces {
            return Err(SandboxError::Network);
        }
        let isolation = self.isolation_for(settings)?;
        let mounts = mounts()?;
        let hidden = self.hidden_everywhere(&mounts);
        let programs = self.programs_everywhere(&mounts);
        let writable = settings.writable.iter().map(|dir| writable(dir, &hidden, &programs));
        let writable = writable.collect::<Result<Vec<_>, _>>()?;
        let keeps = settings.tool_settings == ToolSettings::ReadOnly && self.isolation != Isolation::None;
        let kept = if keeps { kept_files::find(&writable)? } else { KeptFiles::default() };
        Ok(HelperPlan {
            writable,
            hidden,
            read_only: kept.read_only,
            pinned: kept.pinned,
            settings: kept.settings,
            readable: settings.readable.iter().map(readable).collect(),
            no_links: settings.links != Links::Followed && isolation != Isolation::None,
            single_process: settings.single_process,
            proxy,
            degraded: self.level < SandboxLevel::Landlock,
            isolation,
            processes: Some(PROCESSES),
            command,
            ..HelperPlan::default()
        })
    }

    /// Who makes the namespaces for a program. bubblewrap cannot ignore links, so the helper does it then: wherever
    /// bubblewrap works, so do namespaces of the helper.
    fn isolation_for(&self, settings: &SandboxSettings) -> Result<Isolation, SandboxError> {
        match (settings.links, &self.isolation) {
            (Links::Ignored, Isolation::None) if settings.level == RequiredLevel::Required => {
                Err(SandboxError::Links)
            }
            (Links::Ignored | Links::IgnoredIfPossible, Isolation::Bubblewrap(_)) => {
                Ok(Isolation::Namespaces)
            }
            _ => Ok(self.isolation.clone()),
        }
    }

    /// The level of a program with this plan.
    pub fn level_of(&self, plan: &HelperPlan) -> SandboxLevel {
        match plan.isolation {
            Isolation::Namespaces => self.level.min(SandboxLevel::Namespaces),
            _ => self.level,
        }
    }

    /// The hidden paths, also where they are mounted a second time.
    fn hidden_everywhere(&self, mounts: &[Mount]) -> Vec<PathBuf> {
        let others = self.hidden.iter().flat_map(|path| mounts::other_paths(path, mounts));
        outermost(self.hidden.iter().cloned().chain(others).collect())
    }

    /// Whether a path is, or would be, one of sekisho's programs, by whatever mount it is reached. Such a file runs
    /// outside the sandbox.
    pub fn is_own_program(&self, path: &Path) -> bool {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let same_name =
            |program: &&PathBuf| program.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name));
        let programs = self.programs();
        let mut same_name = programs.iter().filter(same_name).filter_map(|program| program.parent());
        let id = fs::metadata(dir).ok().map(|found| DirectoryId::of(&found));
        same_name.any(|own| {
            own == dir || id.is_some() && fs::metadata(own).ok().map(|own| DirectoryId::of(&own)) == id
        })
    }

    /// The programs that run outside the sandbox: the helper, this program, and those that are installed with them.
    fn programs(&self) -> Vec<PathBuf> {
        let own = std::env::current_exe().ok();
        let mut all = Vec::new();
        for program in std::iter::once(self.helper.clone()).chain(own) {
            let real = program.canonicalize().unwrap_or_else(|_| program.clone());
            for place in [&program, &real] {
                all.extend(PROGRAMS.iter().map(|name| place.with_file_name(name)));
            }
            all.extend([program, real]);
        }
        all
    }

    /// The programs that run outside the sandbox, without links, also where they are mounted a second time.
    fn programs_everywhere(&self, mounts: &[Mount]) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> =
            self.programs().iter().filter_map(|path| path.canonicalize().ok()).collect();
        all.push(real_path(&self.helper));
        all.sort_unstable();
        all.dedup();
        let others = all.iter().flat_map(|path| mounts::other_paths(path, mounts)).collect::<Vec<_>>();
        all.extend(others);
        all
    }
}

/// The mounts of this machine.
fn mounts() -> Result<Vec<Mount>, SandboxError> {
    if !cfg!(target_os = "linux") {
        return Ok(Vec::new());
    }
    match fs::read("/proc/thread-self/mountinfo") {
        Ok(text) => Ok(Mount::parse(&text)),
        Err(error) => Err(SandboxError::Mounts(error.to_string().to_lowercase())),
    }
}

/// Which directory a writable one is now. The helper takes no other.
fn writable(
    planned: &PlannedDir,
    hidden: &[PathBuf],
    programs: &[PathBuf],
) -> Result<PlannedDir, SandboxError> {
    let dir = planned.path.as_path();
    let unusable = || SandboxError::Directory(dir.to_owned());
    let real = Some(dir).filter(|dir| dir.is_absolute()).and_then(|dir| dir.canonicalize().ok());
    let real = real.ok_or_else(unusable)?;
    let found = fs::symlink_metadata(&real).ok().filter(fs::Metadata::is_dir).ok_or_else(unusable)?;
    if programs.iter().any(|program| program.starts_with(&real)) {
        return Err(SandboxError::HelperInside(dir.to_owned()));
    }
    let id = DirectoryId::of(&found);
    if planned.id.is_some_and(|planned| planned != id) {
        return Err(SandboxError::Exchanged(dir.to_owned()));
    }
    let related = |hidden: &&PathBuf| {
        real.starts_with(hidden) || hidden.starts_with(&real) || file_id(hidden) == Some(id)
    };
    if let Some(hidden) = hidden.iter().find(related) {
        return Err(SandboxError::HiddenInside(dir.to_owned(), hidden.clone()));
    }
    // Whoever made the link would choose what becomes writable.
    if real != dir {
        return Err(SandboxError::Link(dir.to_owned(), real));
    }
    Ok(PlannedDir { path: real, id: Some(id) })
}

/// A readable directory without links. Which one it is may be known already.
fn readable(dir: &PlannedDir) -> PlannedDir {
    match dir.id {
        Some(_) => dir.clone(),
        None => real_path(&dir.path).into(),
    }
}

fn file_id(path: &Path) -> Option<DirectoryId> {
    fs::symlink_metadata(path).ok().map(|found| DirectoryId::of(&found))
}

/// Starts the helper inside the sandbox that it makes.
#[expect(clippy::disallowed_methods, reason = "detection tries the helper")]
fn try_out(helper: &Path, isolation: &Isolation, degraded: bool) -> Result<(), String> {
    let command = vec![helper.into(), "--version".into()];
    let plan = HelperPlan { isolation: isolation.clone(), degraded, command, ..HelperPlan::default() };
    let tried = Command::new(helper)
        .args(plan.to_arguments())
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .output();
    match tried {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let line = text.lines().next().unwrap_or("it ended without a message");
            Err(line.trim_start_matches("sekisho-sandbox: ").to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(format!("`{}` does not exist", helper.display()))
        }
        Err(error) => Err(format!("`{}`: {}", helper.display(), error.to_string().to_lowercase())),
    }
}
