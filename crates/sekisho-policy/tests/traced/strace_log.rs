//! Parses strace output into the system calls of each script.
//!
//! Processes are assigned by their parents, not by time, because scripts run in parallel and may leave
//! processes behind. A script begins where the driver's child starts `timeout` with the script's number as
//! its last argument.

use std::collections::HashMap;

/// The system calls of all scripts.
pub(crate) struct SystemCallLog {
    /// By script.
    pub(crate) of_scripts: Vec<Vec<SystemCall>>,
    /// System calls of processes that belong to no script.
    pub(crate) orphans: Vec<String>,
}

/// One system call of a script.
#[derive(Clone, Debug)]
pub(crate) struct SystemCall {
    pub(crate) call: String,
    /// Arguments and result as strace prints them.
    pub(crate) text: String,
    /// The name of the calling program.
    pub(crate) by: String,
    /// It comes from the runner rather than from the script.
    pub(crate) runner: bool,
}

impl SystemCall {
    /// The first string among the arguments: the path, for most calls.
    pub(crate) fn path(&self) -> &str {
        let rest = self.text.split_once('"').map_or("", |(_, rest)| rest);
        rest.split_once('"').map_or(rest, |(path, _)| path)
    }
}

/// Splits a trace by script.
pub(crate) fn read(trace: &str, scripts: usize) -> SystemCallLog {
    let calls = whole_calls(trace);
    let parents = parents(&calls);
    let starts = starts(&calls);
    let mut deeds = SystemCallLog { of_scripts: vec![Vec::new(); scripts], orphans: Vec::new() };
    let driver = calls.first().map(|call| call.pid);
    let images = images(&calls);
    for (call, by) in calls.iter().zip(images) {
        let mut pid = call.pid;
        while !starts.contains_key(&pid)
            && let Some(parent) = parents.get(&pid)
        {
            pid = *parent;
        }
        let case = starts.get(&pid).filter(|(_, line)| call.line >= *line || call.pid != pid);
        match case.and_then(|(case, _)| deeds.of_scripts.get_mut(*case)) {
            Some(list) => {
                let runner = call.pid == pid || case_number(call).is_some();
                list.push(SystemCall { call: call.name.into(), text: call.text.clone(), by, runner });
            }
            None if Some(pid) == driver || starts.contains_key(&pid) => {}
            None => deeds.orphans.push(format!("{} {}({}", call.pid, call.name, call.text)),
        }
    }
    deeds
}

struct Call<'t> {
    line: usize,
    pid: u32,
    name: &'t str,
    text: String,
}

/// The calls in the order in which they began; interrupted ones are joined again.
fn whole_calls(trace: &str) -> Vec<Call<'_>> {
    let mut calls: Vec<Call<'_>> = Vec::new();
    let mut open: HashMap<u32, usize> = HashMap::new();
    for (line, text) in trace.lines().enumerate() {
        let Some((pid, rest)) = text.split_once(' ') else { continue };
        let (Ok(pid), rest) = (pid.parse::<u32>(), rest.trim_start()) else { continue };
        if let Some(resumed) = rest.strip_prefix("<... ") {
            let end = resumed.split_once("resumed>").map_or("", |(_, end)| end);
            if let Some(call) = open.remove(&pid).and_then(|at| calls.get_mut(at)) {
                call.text.push_str(end);
            }
        } else if let Some((name, arguments)) = rest.split_once('(')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            let unfinished = arguments.strip_suffix("<unfinished ...>");
            if unfinished.is_some() {
                open.insert(pid, calls.len());
            }
            calls.push(Call { line, pid, name, text: unfinished.unwrap_or(arguments).to_owned() });
        }
    }
    calls
}

/// The parent of each process.
fn parents(calls: &[Call<'_>]) -> HashMap<u32, u32> {
    calls.iter().filter_map(|call| Some((child_of(call)?, call.pid))).collect()
}

fn child_of(call: &Call<'_>) -> Option<u32> {
    let forks = matches!(call.name, "clone" | "clone3" | "fork" | "vfork");
    call.text.rsplit_once("= ").filter(|_| forks)?.1.trim().parse().ok()
}

/// The program of each call: the one its process executed last, or inherited.
fn images(calls: &[Call<'_>]) -> Vec<String> {
    let mut now: HashMap<u32, String> = HashMap::new();
    let mut images = Vec::with_capacity(calls.len());
    for call in calls {
        let image = now.get(&call.pid).cloned().unwrap_or_default();
        if let Some(child) = child_of(call) {
            now.insert(child, image.clone());
        } else if call.name.starts_with("execve") && call.text.ends_with("= 0") {
            let path = call.text.split('"').nth(1).unwrap_or_default();
            now.insert(call.pid, path.rsplit('/').next().unwrap_or_default().to_owned());
        }
        images.push(image);
    }
    images
}

/// The process and line at which each script begins.
fn starts(calls: &[Call<'_>]) -> HashMap<u32, (usize, usize)> {
    let timeouts = calls.iter().filter(|call| call.text.starts_with("\"/usr/bin/timeout\""));
    timeouts.filter_map(|call| Some((call.pid, (case_number(call)?, call.line)))).collect()
}

/// The number of the script, if this call starts its runner.
fn case_number(call: &Call<'_>) -> Option<usize> {
    let (_, rest) = call.text.rsplit_once("\"sekisho-case-").filter(|_| call.name == "execve")?;
    rest.split_once('"')?.0.parse().ok()
}
