//! Numbers drawn with blocks. The three kinds of decisions differ by shade as well as by colour.

use std::io::Write;

use indicatif::HumanCount;
use sekisho_gate::audit::{Asked, AskedCommand, Outcomes, Spread, Stats};

use super::super::moment::{Clock, Span};
use super::buckets::Buckets;
use crate::failure::Failure;
use crate::terminal::{Out, columns, padded, style, visible};

/// How wide it may be.
pub(super) struct Page {
    pub(super) width: usize,
}

/// Above this the file is worth a thought.
const LARGE: u64 = 1 << 30;
/// No name is given more room than this.
const WIDEST: usize = 28;
/// More commands than this are for `--json`.
const COMMANDS: usize = 10;

impl Page {
    pub(super) fn decisions(&self, out: &mut Out, all: &Buckets, clock: &Clock) -> Result<(), Failure> {
        let total = |hour: &sekisho_gate::audit::Hour| hour.allowed + hour.asked + hour.denied;
        let most = all.buckets.iter().map(total).max().unwrap_or(0);
        if most == 0 {
            return Ok(writeln!(out, "\nnothing was decided")?);
        }
        let (green, yellow, red, strong) = (style::ALLOW, style::CONFIRM, style::DENY, style::STRONG);
        let ticks: Vec<String> = all.buckets.iter().map(|hour| clock.tick(hour.at, all.days)).collect();
        let label = ticks.iter().map(|tick| columns(tick)).max().unwrap_or(0);
        writeln!(
            out,
            "\n{strong}{}{strong:#} {green}{:>8}{green:#} {yellow}{:>8}{yellow:#} {red}{:>8}{red:#}",
            padded("Decisions", label),
            "█ allow",
            "▓ ask",
            "░ deny"
        )?;
        let room = self.width.saturating_sub(label + 29).max(10);
        for (hour, tick) in all.buckets.iter().zip(&ticks) {
            let [allowed, asked, denied] = scaled([hour.allowed, hour.asked, hour.denied], most, room);
            write!(out, "{tick:label$} {:>8} {:>8} {:>8}", hour.allowed, hour.asked, hour.denied)?;
            if total(hour) > 0 {
                write!(out, "  {green}{}{green:#}", "█".repeat(allowed))?;
                write!(out, "{yellow}{}{yellow:#}{red}{}{red:#}", "▓".repeat(asked), "░".repeat(denied))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    pub(super) fn asked(&self, out: &mut Out, asked: &[Asked]) -> Result<(), Failure> {
        let lines: Vec<(&str, u64, u64)> =
            asked.iter().map(|asked| (asked.tool.as_str(), asked.times, asked.approved)).collect();
        self.most(out, "Most asked", &lines)
    }

    pub(super) fn commands(&self, out: &mut Out, commands: &[AskedCommand]) -> Result<(), Failure> {
        let commands = commands.iter().take(COMMANDS);
        let lines: Vec<(&str, u64, u64)> =
            commands.map(|asked| (asked.command.as_str(), asked.times, asked.approved)).collect();
        self.most(out, "Commands", &lines)
    }

    /// What was asked about, how often, and how much of it was approved.
    fn most(&self, out: &mut Out, title: &str, lines: &[(&str, u64, u64)]) -> Result<(), Failure> {
        if lines.is_empty() {
            return Ok(());
        }
        let (strong, faint) = (style::STRONG, style::FAINT);
        let names: Vec<_> = lines.iter().map(|(name, _, _)| visible(name)).collect();
        let label = names.iter().map(|name| columns(name)).max().unwrap_or(0).clamp(10, WIDEST);
        let most = lines.iter().map(|(_, times, _)| *times).max().unwrap_or(1).max(1);
        let room = self.width.saturating_sub(label + 29).max(10);
        writeln!(out, "\n{strong}{}{strong:#}    times  approved", padded(title, label))?;
        for ((_, times, approved), name) in lines.iter().zip(&names) {
            let [bar] = scaled([*times], most, room);
            let (rate, name) = (percent(*approved, *times), padded(name, label));
            writeln!(out, "{name} {times:>8}  {rate:>8}  {faint}{}{faint:#}", "▇".repeat(bar))?;
        }
        Ok(())
    }

    pub(super) fn outcomes(
        &self,
        out: &mut Out,
        outcomes: &Outcomes,
        waited: Option<Spread>,
    ) -> Result<(), Failure> {
        let Outcomes { approved, denied, expired, aborted } = *outcomes;
        let all = approved + denied + expired + aborted;
        if all == 0 {
            return Ok(());
        }
        let strong = style::STRONG;
        writeln!(out, "\n{strong}Questions{strong:#}")?;
        let (green, red, yellow) = (style::ALLOW, style::DENY, style::CONFIRM);
        for (name, count, colour) in [
            ("approved", approved, green),
            ("denied", denied, red),
            ("expired", expired, yellow),
            ("aborted", aborted, style::FAINT),
        ] {
            writeln!(out, "{colour}{name:<10}{colour:#} {count:>8}  {:>5}", percent(count, all))?;
        }
        if let Some(Spread { p50, p90, p99 }) = waited {
            writeln!(out, "\n{strong}Time to answer{strong:#}")?;
            for (name, ms) in [("half within", p50), ("90 % within", p90), ("99 % within", p99)] {
                writeln!(out, "{name}  {}", Span(ms))?;
            }
        }
        Ok(())
    }

    pub(super) fn size(&self, out: &mut Out, place: &str, stats: &Stats) -> Result<(), Failure> {
        let (strong, faint) = (style::STRONG, style::FAINT);
        writeln!(out, "\n{strong}The record{strong:#}")?;
        let noun = if stats.rows == 1 { "row" } else { "rows" };
        writeln!(out, "{} {noun}, {} in {place}", HumanCount(stats.rows), Bytes(stats.bytes))?;
        if stats.bytes > LARGE {
            writeln!(
                out,
                "{faint}large: `sekisho audit purge` and `sekisho audit prune` make room that is used again;\n\
                 to give it back to the disk, stop sekisho and run SQLite's `VACUUM` on the file{faint:#}"
            )?;
        }
        Ok(())
    }
}

/// Values as lengths, the largest sum being `room`. Whatever is there is seen, and the sum never takes more.
fn scaled<const N: usize>(values: [u64; N], most: u64, room: usize) -> [usize; N] {
    let room = u64::try_from(room).unwrap_or(u64::MAX);
    let mut lengths = values.map(|value| {
        let length = u128::from(value) * u128::from(room) / u128::from(most.max(1));
        usize::try_from(length).unwrap_or(0).max(usize::from(value > 0))
    });
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    while lengths.iter().sum::<usize>() > room {
        let Some(longest) = lengths.iter_mut().max() else { break };
        *longest = longest.saturating_sub(1);
    }
    lengths
}

fn percent(part: u64, all: u64) -> String {
    let percent = u128::from(part) * 100 / u128::from(all.max(1));
    format!("{percent} %")
}

/// A size in the unit that suits it.
pub(crate) struct Bytes(pub(crate) u64);

impl std::fmt::Display for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.0;
        let tenths = |unit: u64| (bytes / unit, bytes % unit * 10 / unit);
        match bytes {
            0..1_024 => write!(f, "{bytes} bytes"),
            1_024..1_048_576 => write!(f, "{} KiB", bytes / 1_024),
            1_048_576..1_073_741_824 => {
                let (whole, tenth) = tenths(1 << 20);
                write!(f, "{whole}.{tenth} MiB")
            }
            _ => {
                let (whole, tenth) = tenths(1 << 30);
                write!(f, "{whole}.{tenth} GiB")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fit_and_nothing_there_is_invisible() {
        assert_eq!(scaled([100, 0, 0], 100, 40), [40, 0, 0]);
        assert_eq!(scaled([1, 1, 1], 1_000_000, 40), [1, 1, 1]);
        assert_eq!(scaled([999_998, 1, 1], 1_000_000, 40).iter().sum::<usize>(), 40);
        assert_eq!(scaled([u64::MAX / 3; 3], u64::MAX, 40).iter().sum::<usize>(), 39);
    }

    #[test]
    fn sizes_are_shown_in_the_unit_that_suits() {
        for (bytes, expected) in
            [(12, "12 bytes"), (4_096, "4 KiB"), (1_600_000, "1.5 MiB"), (3_221_225_472, "3.0 GiB")]
        {
            assert_eq!(Bytes(bytes).to_string(), expected);
        }
    }
}
