//! Which commands feed a command's standard input: those before it in its pipeline, or in that of the loop or
//! group that contains it.

use sekisho_shell::script::{Redirect, RedirectKind, Script, ScriptItem};

/// The commands of a list, with the nodes before and around them.
pub(crate) struct PipelineInputs {
    units: Vec<PipelineNode>,
}

/// A simple command, or a compound one that contains others.
struct PipelineNode {
    command: Option<usize>,
    /// The previous node in its pipeline.
    before: Option<usize>,
    /// The compound command that contains it.
    outer: Option<usize>,
    /// A redirect replaces its standard input.
    redirected: bool,
}

/// The cost of reading one item.
const ITEM: usize = 4;

/// The cost of reading all items of a script.
pub(crate) fn cost_of_feeds(script: &Script) -> usize {
    let substitutions = script.substitutions.iter().map(|one| 1 + one.shape.len());
    ITEM * (script.items.len() + substitutions.sum::<usize>())
}

impl PipelineInputs {
    /// Reads a list of items; `None` if the operators do not determine its structure.
    pub(crate) fn of(script: &Script, shape: &[ScriptItem]) -> Option<PipelineInputs> {
        let mut reader = PipelineParser { units: Vec::new(), open: Vec::new(), last: None, piped: false };
        for item in shape {
            match item {
                ScriptItem::Operator(operator) => reader.operator(operator)?,
                ScriptItem::Command(at) => {
                    let command = script.commands.get(*at)?;
                    let mut redirects = command.redirects.iter().filter_map(|at| script.redirects.get(*at));
                    reader.add(Some(*at), redirects.any(changes_input));
                }
                ScriptItem::Redirect(at) => reader.redirect(script.redirects.get(*at)?),
                ScriptItem::Assignment(_) => {}
            }
        }
        reader.open.is_empty().then_some(PipelineInputs { units: reader.units })
    }

    /// The commands whose output a command reads, nearest first. `None` if it is not the output of simple
    /// commands.
    pub(crate) fn of_command(&self, command: usize) -> Option<Vec<usize>> {
        let mut at = self.units.iter().position(|unit| unit.command == Some(command))?;
        let mut nearest = loop {
            let unit = self.units.get(at).filter(|unit| !unit.redirected)?;
            match unit.before {
                Some(before) => break Some(before),
                None => at = unit.outer?,
            }
        };
        let mut stages = Vec::new();
        while let Some(unit) = nearest.and_then(|at| self.units.get(at)) {
            // The output of a group or loop is not followed.
            let Some(command) = unit.command else { break };
            stages.push(command);
            nearest = unit.before;
        }
        (!stages.is_empty()).then_some(stages)
    }

    /// The commands that read the output of a source, whatever the commands in between do with it.
    pub(crate) fn carried(&self, source: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut reads = vec![false; self.units.len()];
        let mut prints = vec![false; self.units.len()];
        let is = |set: &[bool], at: usize| set.get(at).copied().unwrap_or_default();
        // The node before and the node around come first in the list.
        for (at, unit) in self.units.iter().enumerate() {
            let fed = match (unit.before, unit.outer) {
                (Some(before), _) => is(&prints, before),
                (None, Some(outer)) => is(&reads, outer),
                (None, None) => false,
            };
            let fed = fed && !unit.redirected;
            let mut next = (fed || unit.command.is_some_and(&source)).then_some(at);
            if let Some(reads) = reads.get_mut(at) {
                *reads = fed;
            }
            // The output of a command in a group or loop is output of the group or loop.
            while let Some(unit) = next.filter(|at| !is(&prints, *at)) {
                if let Some(prints) = prints.get_mut(unit) {
                    *prints = true;
                }
                next = self.units.get(unit).and_then(|unit| unit.outer);
            }
        }
        let fed = self.units.iter().zip(reads).filter(|(_, reads)| *reads);
        fed.filter_map(|(unit, _)| unit.command).collect()
    }

    /// The stages of a list that is one pipeline of simple commands, last stage first.
    pub(crate) fn pipeline(&self) -> Option<Vec<usize>> {
        let joined = self.units.iter().skip(1).enumerate().all(|(at, unit)| unit.before == Some(at));
        let stages: Option<Vec<usize>> = self.units.iter().rev().map(|unit| unit.command).collect();
        stages.filter(|stages| joined && !stages.is_empty())
    }
}

/// Whether a redirect replaces standard input.
pub(crate) fn changes_input(redirect: &Redirect) -> bool {
    let output = redirect.operator.contains('>')
        && !redirect.operator.contains('<')
        && !redirect.operator.starts_with('0');
    !output || matches!(redirect.kind, RedirectKind::Other)
}

/// Builds nodes from items.
struct PipelineParser {
    units: Vec<PipelineNode>,
    /// Compound commands not yet closed, each with the word that closes it.
    open: Vec<(usize, &'static str)>,
    /// The last node of the current pipeline.
    last: Option<usize>,
    /// A pipe follows it.
    piped: bool,
}

impl PipelineParser {
    fn add(&mut self, command: Option<usize>, redirected: bool) {
        let before = self.last.filter(|_| self.piped);
        let outer = self.open.last().map(|(unit, _)| *unit);
        self.last = Some(self.units.len());
        self.piped = false;
        self.units.push(PipelineNode { command, before, outer, redirected });
    }

    fn operator(&mut self, operator: &'static str) -> Option<()> {
        let closed_by = match operator {
            "(" => ")",
            "{" => "}",
            "if" => "fi",
            "while" | "until" | "for" => "done",
            "|" => {
                self.piped = true;
                return Some(());
            }
            ")" | "}" | "fi" | "done" => return self.close(operator),
            "&&" | "||" | ";" | "&" | "then" | "elif" | "else" | "do" => {
                (self.last, self.piped) = (None, false);
                return Some(());
            }
            "in" | "!" | "time" => return Some(()),
            // A test prints nothing, but is a stage of its pipeline.
            "[[" => {
                self.add(None, true);
                return Some(());
            }
            "]]" => return Some(()),
            // `|&` also pipes standard error; the parentheses of `case` are not subshells.
            _ => return None,
        };
        self.add(None, false);
        self.open.push((self.units.len().saturating_sub(1), closed_by));
        self.last = None;
        Some(())
    }

    fn close(&mut self, operator: &str) -> Option<()> {
        let (unit, closed_by) = self.open.pop()?;
        (self.last, self.piped) = (Some(unit), false);
        (closed_by == operator).then_some(())
    }

    /// A command's own redirects were handled with it; one after a compound command belongs to that command.
    fn redirect(&mut self, redirect: &Redirect) {
        let unit = self.last.and_then(|at| self.units.get_mut(at));
        if let Some(unit) = unit.filter(|unit| unit.command.is_none()) {
            unit.redirected |= changes_input(redirect);
        }
    }
}
