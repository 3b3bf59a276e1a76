//! Compares sekisho with other engines: time per decision, time to load, bytes per rule; then the worst
//! case.
//!
//! Everything is measured in one run, the engines alternate, and the best of several passes counts: the
//! machine may be busy with other work. The run fails only on what holds on any machine: an engine that
//! disagrees with the plain scan over the rules, or an allow that allocates.

use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use sekisho_bench::engines::{
    Answer, Casbin, Cedar, Engine, Failure, Loaded, Loader, Node, RegexScan, Sekisho,
};
use sekisho_bench::table::{Table, format_duration, format_number};
use sekisho_bench::workload::{CALLS, Workload};
use sekisho_bench::{builtin_tools, worst_case};
use sekisho_policy::Effect;

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

const ENGINES: [(&str, Loader); 4] = [
    ("sekisho", Sekisho::load),
    ("regex scan (Rust)", RegexScan::load),
    ("casbin 2.20.0", Casbin::load),
    ("cedar-policy 4.14.1", Cedar::load),
];

/// Time budget of an engine at one size for its answers, and again for being timed.
const BUDGET: Duration = Duration::from_millis(1_500);

/// Rounds per engine.
const ROUNDS: u32 = 8;

/// Calls are timed in slices of about this length, and the best time of each slice counts: a slow engine must
/// find quiet moments of the machine as easily as a fast one.
const SLICE: Duration = Duration::from_micros(200);

/// The result of one engine at one size.
struct Cell {
    /// The best time of each slice of calls.
    slices: Vec<(Range<usize>, Duration)>,
    load: Duration,
    held: usize,
    decided: usize,
    bad: usize,
}

/// The results at one size.
struct Column {
    size: usize,
    text: usize,
    hits: usize,
    cells: Vec<Option<Cell>>,
    allocations: (f64, usize),
}

impl Cell {
    fn ns(&self) -> f64 {
        let sum: Duration = self.slices.iter().map(|(_, best)| *best).sum();
        sum.as_nanos() as f64 / self.decided as f64
    }
}

fn main() -> Result<ExitCode, Failure> {
    let node = Node::find();
    if node.is_none() {
        println!("NODE IS MISSING: its row is left out. Install node to see it.");
    }
    let columns = SIZES.iter().map(|size| column(*size, node.as_ref())).collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
    names.push("regex scan (Node)");
    print(&names, &columns);
    builtin_tools::print()?;
    let worst = worst_case::print()?;
    targets(&columns, worst);
    let bad: usize =
        columns.iter().flat_map(|column| column.cells.iter().flatten()).map(|cell| cell.bad).sum();
    let allocating = columns.iter().any(|column| column.allocations.1 > 0);
    println!("\nbad: {bad}");
    Ok(if bad > 0 || allocating { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn column(size: usize, node: Option<&Node>) -> Result<Column, Failure> {
    let workload = Workload::new(size);
    let expected: Vec<Option<usize>> =
        workload.calls.iter().map(|call| workload.rules.iter().position(|rule| rule.matches(call))).collect();
    eprintln!("{size} rules ...");
    let loaded: Vec<Loaded> = ENGINES.iter().map(|(_, load)| load(&workload)).collect::<Result<_, _>>()?;
    let mut cells: Vec<Cell> = loaded.iter().map(|loaded| checked(loaded, &workload, &expected)).collect();
    for _ in 0..ROUNDS {
        for (loaded, cell) in loaded.iter().zip(&mut cells) {
            turn(loaded.engine.as_ref(), cell);
        }
    }
    drop(loaded);
    for ((_, load), cell) in ENGINES.iter().zip(&mut cells) {
        reload(*load, &workload, cell)?;
    }
    let mut cells: Vec<Option<Cell>> = cells.into_iter().map(Some).collect();
    cells.push(node.map(|node| by_node(node, &workload, &expected)).transpose()?);
    Ok(Column {
        size,
        text: workload.config().len(),
        hits: expected.iter().flatten().count(),
        cells,
        allocations: Sekisho::of(&workload)?.allocations(),
    })
}

/// Asks an engine about as many calls as its budget allows, and compares its answers.
fn checked(loaded: &Loaded, workload: &Workload, expected: &[Option<usize>]) -> Cell {
    let start = Instant::now();
    let (mut decided, mut bad) = (0, 0);
    for (call, winner) in expected.iter().enumerate() {
        if decided >= 3 && start.elapsed() > BUDGET / 2 {
            break;
        }
        let allowed = winner.is_some_and(|rule| workload.rules[rule].effect == Effect::Allow);
        let right = match loaded.engine.answer(call) {
            Answer::Rule(rule) => rule == *winner,
            Answer::Allowed(yes) => yes == allowed,
        };
        bad += usize::from(!right);
        decided += 1;
    }
    let each = start.elapsed() / u32::try_from(decided).unwrap_or(1);
    let length = (SLICE.as_nanos() / each.as_nanos().max(1)).clamp(1, CALLS as u128) as usize;
    let starts = (0..decided).step_by(length);
    let slices = starts.map(|from| (from..decided.min(from + length), Duration::MAX)).collect();
    Cell { slices, load: loaded.load, held: loaded.held, decided, bad }
}

/// One engine's turn: passes over its calls for its share of the budget, at least one.
fn turn(engine: &dyn Engine, cell: &mut Cell) {
    let start = Instant::now();
    loop {
        for (calls, best) in &mut cell.slices {
            *best = engine.pass(calls.clone()).min(*best);
        }
        if start.elapsed() > BUDGET / ROUNDS / 4 {
            return;
        }
    }
}

/// Loads an engine repeatedly while its budget lasts; the fastest load counts.
fn reload(load: Loader, workload: &Workload, cell: &mut Cell) -> Result<(), Failure> {
    let start = Instant::now();
    for _ in 0..9 {
        if start.elapsed() + cell.load > BUDGET {
            break;
        }
        cell.load = cell.load.min(load(workload)?.load);
    }
    Ok(())
}

fn by_node(node: &Node, workload: &Workload, expected: &[Option<usize>]) -> Result<Cell, Failure> {
    let result = node.run(workload, u64::try_from(BUDGET.as_millis())?)?;
    let bad = result.winners.iter().zip(expected).filter(|(found, winner)| {
        let winner = winner.and_then(|rule| i64::try_from(rule).ok()).unwrap_or(-1);
        **found != winner
    });
    let whole = Duration::from_nanos((result.ns_per_decision * result.decided as f64) as u64);
    Ok(Cell {
        slices: vec![(0..result.decided, whole)],
        load: Duration::from_nanos(result.load_ns),
        held: result.held,
        decided: result.decided,
        bad: bad.count(),
    })
}

fn print(names: &[&str], columns: &[Column]) {
    let show = |title: &str, cell: &dyn Fn(&Column, &Cell) -> String| {
        let heads = columns.iter().map(|column| format!("{} rules", format_number(column.size as f64)));
        let mut table = Table::new(title, std::iter::once(String::new()).chain(heads));
        for (engine, name) in names.iter().enumerate() {
            let cells = columns.iter().map(|column| {
                let found = column.cells.get(engine).and_then(Option::as_ref);
                found.map_or("not run".into(), |found| cell(column, found))
            });
            table.row(std::iter::once((*name).to_owned()).chain(cells));
        }
        table.print();
    };
    show("ns for a decision (best of several passes)", &|_, cell| format_number(cell.ns()));
    show("times sekisho's", &|column, cell| {
        let sekisho = column.cells.first().and_then(Option::as_ref).map_or(f64::NAN, |cell| cell.ns());
        let ratio = cell.ns() / sekisho;
        if ratio < 10.0 { format!("{ratio:.1}") } else { format_number(ratio) }
    });
    show("load, from text to ready", &|_, cell| format_duration(cell.load));
    show("bytes held for a rule", &|column, cell| format_number(cell.held as f64 / column.size as f64));
    show(&format!("decisions that were compared (of {CALLS} calls) and wrong ones"), &|_, cell| {
        format!("{} bad: {}", cell.decided, cell.bad)
    });
    println!(
        "  An engine that is too slow for all calls is compared and timed on as many as fit its budget.\n"
    );
    for column in columns {
        println!(
            "  {} rules: {} of {CALLS} calls hit a rule; sekisho makes {:.3} allocations for a decision, at most {} for an allow",
            format_number(column.size as f64),
            column.hits,
            column.allocations.0,
            column.allocations.1,
        );
    }
}

/// Compares this run with the project's targets.
fn targets(columns: &[Column], worst: Duration) {
    println!("\ntargets");
    let print_target =
        |what: String, met: bool| println!("  {}  {what}", if met { "met   " } else { "MISSED" });
    let ns =
        |column: &Column, engine: usize| column.cells[engine].as_ref().map_or(f64::NAN, |cell| cell.ns());
    for (column, most) in columns.iter().zip([250.0, 250.0, 400.0, f64::NAN, 600.0]) {
        if most.is_finite() {
            let found = ns(column, 0);
            print_target(
                format!("{found:.0} ns at {} rules, at most {most:.0}", format_number(column.size as f64)),
                found <= most,
            );
        }
    }
    for (column, least) in [(&columns[0], 50.0), (&columns[2], 1_000.0)] {
        for engine in [2, 3] {
            let (ratio, name) = (ns(column, engine) / ns(column, 0), ENGINES[engine].0);
            let what =
                format!("{ratio:.0} times faster than {name} at {} rules, at least {least:.0}", column.size);
            print_target(what, ratio >= least);
        }
    }
    let Some((largest, cell)) =
        columns.last().and_then(|column| Some((column, column.cells.first()?.as_ref()?)))
    else {
        return;
    };
    let beyond = cell.held.saturating_sub(largest.text) as f64 / largest.size as f64;
    print_target(
        format!("{} to load 100 000 rules, at most 1.5 s", format_duration(cell.load)),
        cell.load.as_millis() <= 1_500,
    );
    print_target(format!("{beyond:.0} bytes for a rule beyond its text, at most 200"), beyond <= 200.0);
    let most = columns.iter().map(|column| column.allocations.1).max().unwrap_or(0);
    print_target(format!("{most} allocations for an allow by the name of the tool, none"), most == 0);
    println!("  worst   {} for the worst decision", format_duration(worst));
}
