//! The hook as a process, from start to exit, compared with programs that do nothing and hooks that do
//! little.
//!
//! All alternate in one run, so that a busy machine affects all of them. Every answer is checked before
//! anything is timed.

mod hook_fixture;

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sekisho_bench::percentiles::Percentiles;
use sekisho_bench::table::{Table, format_duration};

use hook_fixture::HookFixture;

/// Any error ends the run.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Rounds per program.
const ROUNDS: usize = 40;
/// Starts per round, for fast programs.
const STARTS: usize = 20;

/// A program that is timed.
struct Runner {
    name: &'static str,
    command_line: Vec<String>,
    /// What its answer must contain.
    expected: &'static str,
    starts: usize,
    times: Vec<Duration>,
}

impl Runner {
    fn new(name: &'static str, command_line: Vec<String>, expected: &'static str, starts: usize) -> Runner {
        Runner { name, command_line, expected, starts, times: Vec::new() }
    }

    fn command(&self, fixture: &HookFixture, input: &Path) -> Result<Command, Failure> {
        let (program, arguments) = self.command_line.split_first().ok_or("nothing to run")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(fixture.home().join("work"))
            .env_clear()
            .env("HOME", fixture.home())
            .env("PATH", "/usr/bin:/bin");
        command.env("CLAUDE_CODE_SESSION_ATTENDED", "0").stdin(File::open(input)?).stderr(Stdio::null());
        Ok(command)
    }

    /// Checks the answer of the program.
    fn check(&self, fixture: &HookFixture, input: &Path) -> Result<(), Failure> {
        let output = self.command(fixture, input)?.output()?;
        let answer = String::from_utf8_lossy(&output.stdout);
        if output.status.success() && answer.contains(self.expected) {
            return Ok(());
        }
        Err(format!("{} answered `{answer}` and ended with {}", self.name, output.status).into())
    }

    fn time(&mut self, fixture: &HookFixture, input: &Path) -> Result<(), Failure> {
        for _ in 0..self.starts {
            let mut command = self.command(fixture, input)?;
            command.stdout(Stdio::null());
            let start = Instant::now();
            let mut child = command.spawn()?;
            child.wait()?;
            self.times.push(start.elapsed());
        }
        Ok(())
    }

    fn median(&self) -> f64 {
        Percentiles::of(self.times.clone()).at(0.5).as_secs_f64()
    }
}

fn main() -> Result<(), Failure> {
    let fixture = HookFixture::new()?;
    let input = fixture.input()?;
    let mut runners = runners(&fixture)?;
    for runner in &runners {
        runner.check(&fixture, &input)?;
    }
    for _ in 0..ROUNDS {
        for runner in &mut runners {
            runner.time(&fixture, &input)?;
        }
    }
    report(&runners);
    Ok(())
}

fn runners(fixture: &HookFixture) -> Result<Vec<Runner>, Failure> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let peer = |file: &str| peers.join(file).to_string_lossy().into_owned();
    let mut runners = vec![
        Runner::new("/bin/true", words(&["/bin/true"]), "", STARTS),
        Runner::new("a Rust program that only exits", vec![fixture.exit_program()?], "", STARTS),
        Runner::new("sekisho-hook, 200 rules, recorded", fixture.local_hook(), "\"allow\"", STARTS),
        Runner::new("sekisho-hook, asking the server", fixture.server_hook(), "\"allow\"", STARTS),
    ];
    let python = hook_fixture::program_path("python3", &["-c", "import sys; print(sys.executable)"])?;
    let node = hook_fixture::program_path("node", &["-p", "process.execPath"])?;
    runners.push(Runner::new("Python, a toy check", vec![python, peer("check.py")], "allow", 2));
    runners.push(Runner::new(
        "bash and jq, a toy check",
        vec!["/bin/bash".into(), peer("check.sh")],
        "allow",
        2,
    ));
    runners.push(Runner::new("Node, a toy check", vec![node.clone(), peer("check.mjs")], "allow", 1));
    let net = peer("node_modules/cc-safety-net/dist/bin/cc-safety-net.js");
    if !Path::new(&net).exists() {
        return Err("cc-safety-net is not installed; run `npm ci` in bench/peers".into());
    }
    runners.push(Runner::new(
        "cc-safety-net 2.4.5",
        vec![node, net, "hook".into(), "--claude-code".into()],
        "",
        1,
    ));
    Ok(runners)
}

fn report(runners: &[Runner]) {
    let median = |name: &str| {
        runners.iter().find(|runner| runner.name.starts_with(name)).map_or(f64::NAN, Runner::median)
    };
    let floor = median("a Rust program");
    let mut table = Table::new(
        "from start to end of one process",
        ["", "min", "p50", "p99", "÷ a program that only exits"].map(String::from),
    );
    for runner in runners {
        let times = Percentiles::of(runner.times.clone());
        let ratio = format!("{:.1}", runner.median() / floor);
        table.row([
            runner.name.into(),
            format_duration(times.at(0.0)),
            format_duration(times.at(0.5)),
            format_duration(times.at(0.99)),
            ratio,
        ]);
    }
    table.print();
    println!("\ntargets");
    let print_target =
        |what: String, met: bool| println!("  {}  {what}", if met { "met   " } else { "MISSED" });
    for hook in ["sekisho-hook, 200", "sekisho-hook, asking"] {
        let ratio = median(hook) / floor;
        print_target(format!("{hook}…: {ratio:.2} times a program that only exits, at most 3"), ratio <= 3.0);
        for (peer, least) in
            [("Python", 30.0), ("bash and jq", 30.0), ("Node", 100.0), ("cc-safety-net", 100.0)]
        {
            let ratio = median(peer) / median(hook);
            print_target(
                format!("{hook}…: {ratio:.0} times as fast as {peer}, at least {least:.0}"),
                ratio >= least,
            );
        }
    }
}
