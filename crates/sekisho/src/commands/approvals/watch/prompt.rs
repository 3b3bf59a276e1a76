//! The line at the bottom: which keys do what now, how much time is left, how many more wait.

use std::io::{self, Write};

use anstyle::Style;
use jiff::Timestamp;
use sekisho_gate::answer::Scope;
use sekisho_server::wire::approval::Question;

use super::machine::{Draft, Machine, State};
use crate::commands::approvals::words::{brief_fate, fate, why_not_in};
use crate::terminal::{self, columns, style, visible};

/// What the line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    /// What comes first, in a colour that fits.
    pub(super) text: String,
    /// The same in fewer words, where there is no room for more.
    pub(super) short: String,
    /// What is typed, if something is: its end is always seen.
    pub(super) typed: Option<String>,
    /// What is faint, and goes first where there is no room.
    pub(super) rest: String,
    /// The same in fewer words.
    pub(super) brief: String,
    pub(super) danger: bool,
}

impl Prompt {
    /// The line for the state things are in.
    pub(super) fn of(machine: &Machine, now: Timestamp) -> Prompt {
        let danger = machine.is_dangerous();
        let plain = |text: &str| Prompt {
            text: text.into(),
            short: text.into(),
            typed: None,
            rest: String::new(),
            brief: String::new(),
            danger,
        };
        let with_time = |text: &str| {
            let rest = time(machine, |question| fate(question, now));
            let brief = time(machine, |question| brief_fate(question, now));
            Prompt { rest, brief, ..plain(text) }
        };
        match &machine.state {
            State::Idle => idle(machine),
            State::Drawing | State::Editing => plain(""),
            State::Asking => {
                let (text, short) = asking(machine);
                Prompt { text, short, ..with_time("") }
            }
            State::Sure => with_time("Enter approves it, any other key does not"),
            State::Reason(text) => {
                let typed = Some(visible(text).into_owned());
                let rest = String::from("(Enter: denied, Esc: back)");
                Prompt { typed, brief: rest.clone(), rest, ..plain("Deny it. Why? ") }
            }
            State::Choosing => with_time("Remember which? its number, Esc: back"),
            State::Placing(_) => with_time(&places(machine)),
            State::Broken(_) => with_time("Enter opens it again, Esc gives the edit up"),
            State::Sending => plain("sending…"),
            State::Gone => gone(machine),
        }
    }

    /// Writes it over what is there. Blanks wipe the rest of the line, so that it works without any sequence.
    pub(super) fn draw(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        // The last column stays free: a terminal would go on to the next line.
        let room = width.saturating_sub(1);
        // How much time is left matters more than the names of all keys, and those more than what happens then.
        let fits = |text: &str, rest: &str| columns(text) + 2 + columns(rest) <= room;
        let (text, rest) = match self.typed.is_some() {
            true => (&self.text, &self.rest),
            false if fits(&self.text, &self.rest) => (&self.text, &self.rest),
            false if fits(&self.text, &self.brief) => (&self.text, &self.brief),
            false => (&self.short, &self.brief),
        };
        let text = terminal::cut(text, room).into_owned();
        let left = room.saturating_sub(columns(&text));
        let typed = self.typed.as_deref().map_or(String::new(), |typed| tail(typed, left));
        let left = left.saturating_sub(columns(&typed));
        let rest = match columns(rest) + 2 <= left {
            true if !rest.is_empty() => format!("  {rest}"),
            _ => String::new(),
        };
        let wipe = left.saturating_sub(columns(&rest));
        let (colour, faint) = (if self.danger { style::DENY } else { Style::new().bold() }, style::FAINT);
        write!(out, "\r{colour}{text}{colour:#}{typed}{faint}{rest}{faint:#}{:wipe$}", "")?;
        // Back to where the next key goes.
        write!(out, "\r{colour}{text}{colour:#}{typed}")?;
        out.flush()
    }

    /// Wipes the line.
    pub(super) fn wipe(out: &mut impl Write, width: usize) -> io::Result<()> {
        write!(out, "\r{:1$}\r", "", width.saturating_sub(1))
    }
}

/// The end of a text, in so many columns.
fn tail(text: &str, width: usize) -> String {
    let mut kept: Vec<char> = Vec::new();
    let mut used = 0;
    for c in text.chars().rev() {
        used += terminal::wrap::columns_of(c);
        if used > width {
            break;
        }
        kept.push(c);
    }
    kept.iter().rev().collect()
}

fn idle(machine: &Machine) -> Prompt {
    let aside = match machine.others() {
        (_, 0) => String::new(),
        (_, aside) => format!("s takes up the {aside} put aside, "),
    };
    let rest = format!("({aside}? help, q quits)");
    let text = String::from("waiting for questions");
    Prompt { short: text.clone(), text, typed: None, brief: rest.clone(), rest, danger: false }
}

fn gone(machine: &Machine) -> Prompt {
    let rest = match machine.others() {
        (0, _) => String::new(),
        (more, _) => format!("{more} more"),
    };
    let text = String::from("It ended before you answered, nothing was sent. Enter goes on");
    let short = String::from("It ended. Enter goes on");
    Prompt { short, text, typed: None, brief: rest.clone(), rest, danger: false }
}

/// Which keys there are, and in fewer words.
fn asking(machine: &Machine) -> (String, String) {
    let approve = if machine.is_dangerous() { "A+Enter approve" } else { "a approve" };
    match &machine.draft {
        Draft { input: None, remember: None } => (
            format!("{approve}, d deny, e edit, r remember, i input, s skip, ?"),
            format!("{approve}, d deny, ? more keys"),
        ),
        Draft { input, remember } => {
            let input = if input.is_some() { " the edited input" } else { "" };
            let remember = match remember {
                Some((index, scope)) => format!(" and remember {} ({scope})", index + 1),
                None => String::new(),
            };
            (
                format!("{approve}{input}{remember}, d deny{remember}, Esc: back, ?"),
                format!("{approve}{input}{remember}, d, Esc, ?"),
            )
        }
    }
}

/// Where an answer can be remembered.
fn places(machine: &Machine) -> String {
    let scopes =
        [(Scope::Session, "s this session"), (Scope::Project, "p project"), (Scope::Global, "g everywhere")];
    let can = |scope: Scope| machine.current().is_none_or(|question| why_not_in(question, scope).is_none());
    let keys: Vec<&str> = scopes.iter().filter(|(scope, _)| can(*scope)).map(|(_, key)| *key).collect();
    format!("Where? {}, Esc: back", keys.join(", "))
}

fn time(machine: &Machine, left: impl Fn(&Question) -> String) -> String {
    let Some(question) = machine.current() else { return String::new() };
    let more = match machine.others() {
        (0, _) => String::new(),
        (more, _) => format!(", {more} more"),
    };
    format!("{}{more}", left(question))
}

#[cfg(test)]
mod tests {
    use sekisho_testkit::fixtures;

    use super::super::machine::Happening;
    use super::*;

    fn drawn(prompt: &Prompt, width: usize) -> String {
        let mut out = Vec::new();
        prompt.draw(&mut out, width).unwrap();
        let text = anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
        text.split('\r').nth(1).unwrap().to_owned()
    }

    #[test]
    fn the_line_never_wraps_and_the_time_goes_before_the_names_of_keys() {
        let prompt = Prompt {
            text: "a approve, d deny, and a lot of other keys".into(),
            short: "a approve, d deny".into(),
            typed: None,
            rest: "1:53 left, and then some".into(),
            brief: "1:53 left".into(),
            danger: false,
        };
        for width in [10, 20, 30, 40, 60, 120] {
            assert_eq!(columns(&drawn(&prompt, width)), width - 1, "{width}");
        }
        assert!(drawn(&prompt, 40).starts_with("a approve, d deny  1:53 left"));
        let brief = "a approve, d deny, and a lot of other keys  1:53 left  ";
        assert!(drawn(&prompt, 60).starts_with(brief));
        assert!(drawn(&prompt, 80).starts_with("a approve, d deny, and a lot of other keys  1:53 left, and"));
        let typing = Prompt { typed: Some("a long reason, the end".into()), ..prompt };
        assert!(drawn(&typing, 50).trim_end().ends_with("end"));
    }

    #[test]
    fn eighty_columns_have_room_for_the_names_of_all_keys_and_the_time() {
        let mut machine = Machine::new();
        let asked =
            fixtures::question(fixtures::call("call-1"), fixtures::asker(), fixtures::after(0), Some(120));
        machine.take(Happening::Asked(Box::new((&asked).into())));
        machine.state = State::Asking;
        let line = drawn(&Prompt::of(&machine, fixtures::after(2)), 80);
        assert_eq!(line.trim_end(), "a approve, d deny, e edit, r remember, i input, s skip, ?  1:58 left");
        let line = drawn(&Prompt::of(&machine, fixtures::after(2)), 120);
        assert!(line.trim_end().ends_with("1:58 left, then it expires and does not run"), "{line}");
    }
}
