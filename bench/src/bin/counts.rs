//! Work whose instructions callgrind counts: `counts judge N` and `counts load N`. See `counts.sh`.
//!
//! Instruction counts do not depend on how busy the machine is, so a regression of a few per cent shows.

use std::hint::black_box;

use sekisho_bench::engines::{Engine, Failure, Sekisho, load};
use sekisho_bench::workload::{CALLS, Workload};

/// What callgrind counts, selected by this function's name.
#[inline(never)]
fn counted(work: impl FnOnce()) {
    work();
}

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let (what, size) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().parse()?);
    let workload = Workload::new(size);
    match what.as_str() {
        "judge" => {
            let engine = Sekisho::of(&workload)?;
            // One-time setup of a process is not part of a decision's cost.
            engine.pass(0..CALLS);
            counted(|| {
                engine.pass(0..CALLS);
            });
        }
        "load" => {
            let text = workload.config();
            load(&text)?;
            counted(|| {
                black_box(load(&text).is_ok());
            });
        }
        _ => return Err("usage: counts judge|load RULES".into()),
    }
    Ok(())
}
