//! The hook as a process, from start to exit, compared with programs that do nothing and hooks that do
//! little.
//!
//! All alternate in one run, so that a busy machine affects all of them. Every answer is checked before
//! anything is timed.

mod house;

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sekisho_bench::spread::Spread;
use sekisho_bench::table::{Table, span};

use house::House;

/// Any error ends the run.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Rounds per program.
const ROUNDS: usize = 40;
/// Starts per round, for fast programs.
const TOGETHER: usize = 20;

/// A program that is timed.
struct Runner {
    name: &'static str,
    words: Vec<String>,
    /// What its answer has to contain.
    says: &'static str,
    starts: usize,
    times: Vec<Duration>,
}

impl Runner {
    fn new(name: &'static str, words: Vec<String>, says: &'static str, starts: usize) -> Runner {
        Runner { name, words, says, starts, times: Vec::new() }
    }

    fn command(&self, house: &House, input: &Path) -> Result<Command, Failure> {
        let (program, arguments) = self.words.split_first().ok_or("nothing to run")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(house.home().join("work"))
            .env_clear()
            .env("HOME", house.home())
            .env("PATH", "/usr/bin:/bin");
        command.env("CLAUDE_CODE_SESSION_ATTENDED", "0").stdin(File::open(input)?).stderr(Stdio::null());
        Ok(command)
    }

    /// Checks its answer.
    fn check(&self, house: &House, input: &Path) -> Result<(), Failure> {
        let output = self.command(house, input)?.output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        if output.status.success() && said.contains(self.says) {
            return Ok(());
        }
        Err(format!("{} said `{said}` and ended with {}", self.name, output.status).into())
    }

    fn time(&mut self, house: &House, input: &Path) -> Result<(), Failure> {
        for _ in 0..self.starts {
            let mut command = self.command(house, input)?;
            command.stdout(Stdio::null());
            let start = Instant::now();
            let mut child = command.spawn()?;
            child.wait()?;
            self.times.push(start.elapsed());
        }
        Ok(())
    }

    fn median(&self) -> f64 {
        Spread::of(self.times.clone()).at(0.5).as_secs_f64()
    }
}

fn main() -> Result<(), Failure> {
    let house = House::new()?;
    let input = house.input()?;
    let mut runners = runners(&house)?;
    for runner in &runners {
        runner.check(&house, &input)?;
    }
    for _ in 0..ROUNDS {
        for runner in &mut runners {
            runner.time(&house, &input)?;
        }
    }
    report(&runners);
    Ok(())
}

fn runners(house: &House) -> Result<Vec<Runner>, Failure> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let peer = |file: &str| peers.join(file).to_string_lossy().into_owned();
    let mut runners = vec![
        Runner::new("/bin/true", words(&["/bin/true"]), "", TOGETHER),
        Runner::new("a Rust program that only exits", vec![house.exits()?], "", TOGETHER),
        Runner::new("sekisho-hook, 200 rules, recorded", house.local(), "\"allow\"", TOGETHER),
        Runner::new("sekisho-hook, asking the server", house.asking(), "\"allow\"", TOGETHER),
    ];
    let python = house::real("python3", &["-c", "import sys; print(sys.executable)"])?;
    let node = house::real("node", &["-p", "process.execPath"])?;
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
        let times = Spread::of(runner.times.clone());
        let ratio = format!("{:.1}", runner.median() / floor);
        table.row([
            runner.name.into(),
            span(times.at(0.0)),
            span(times.at(0.5)),
            span(times.at(0.99)),
            ratio,
        ]);
    }
    table.print();
    println!("\ntargets");
    let say = |what: String, met: bool| println!("  {}  {what}", if met { "met   " } else { "MISSED" });
    for hook in ["sekisho-hook, 200", "sekisho-hook, asking"] {
        let ratio = median(hook) / floor;
        say(format!("{hook}…: {ratio:.2} times a program that only exits, at most 3"), ratio <= 3.0);
        for (peer, least) in
            [("Python", 30.0), ("bash and jq", 30.0), ("Node", 100.0), ("cc-safety-net", 100.0)]
        {
            let ratio = median(peer) / median(hook);
            say(format!("{hook}…: {ratio:.0} times as fast as {peer}, at least {least:.0}"), ratio >= least);
        }
    }
}
