//! What is known about programs: which options and operands are harmless, which commands a command would run,
//! how rules name it, and what effect it has. The data is in `programs/*.toml`, which the build script checks
//! and compiles.
//!
//! [`profile_command`] profiles one simple command. The commands that it would run are returned as
//! [`InnerCommand`]; the caller judges those in turn. A caller that knows more about a word than its pieces
//! show (for example that `$(pwd)` begins with `/`) can put that into the word first.

mod arguments;
mod awk;
mod code_enum_macro;
mod command_profile;
mod command_shapes;
mod danger_code;
mod detail_code;
mod embedded_table;
mod evaluated_words;
mod find;
mod inner_commands;
mod leading_words;
mod leaving_options;
mod operands;
mod placeholder;
mod preset_words;
mod profile_builder;
mod program_entry;
mod program_lookup;
mod ps;
mod removal_words;
mod script_words;
mod sed;
mod shared_enums;
mod table;
mod table_schema;
mod test_expression;
mod value_check;
mod value_check_functions;

pub use command_profile::{
    CommandProfile, InnerCommand, Obstacle, ObstacleCode, PathUseKind, ProgramDanger, ProgramLocation,
    UsedOption, UsedPath,
};
pub use danger_code::DangerCode;
pub use detail_code::Detail;
pub use evaluated_words::is_number;
pub use operands::is_special_in_zsh;
pub use shared_enums::{BuiltinList, PresetList, ProgramDangerLevel, ShellKind};
pub use table::{ProgramTable, TableError};

use crate::budget::Budget;
use crate::word::Word;

/// Profiles one simple command with the embedded table. The first word is the program.
pub fn profile_command(words: &[Word]) -> CommandProfile {
    profile_command_within(words, &Budget::new(usize::MAX))
}

/// Like [`profile_command`], with bounded work. If the budget is used up, some inner commands are missing.
pub fn profile_command_within(words: &[Word], budget: &Budget) -> CommandProfile {
    profile_builder::build_profile(&embedded_table::EmbeddedTable, words, budget)
}

impl program_lookup::ProgramLookup for ProgramTable {
    fn program(&self, name: &str) -> Option<&program_entry::ProgramEntry> {
        self.numbered(0, name)
    }

    fn subcommand<'t>(
        &'t self,
        of: &'t program_entry::ProgramEntry,
        name: &str,
    ) -> Option<&'t program_entry::ProgramEntry> {
        self.numbered(of.number, name)
    }
}

impl ProgramTable {
    fn numbered(&self, of: u16, name: &str) -> Option<&program_entry::ProgramEntry> {
        let number = self.numbers.get(&(of, name.to_owned()))?;
        self.entries.get(usize::from(number.checked_sub(1)?))
    }

    /// Profiles one simple command with this table. The first word is the program.
    pub fn read(&self, words: &[Word]) -> CommandProfile {
        profile_builder::build_profile(self, words, &Budget::new(usize::MAX))
    }
}

/// The options that an allow of these leading words does not include: they make the program run something else, or work on
/// other files than those of the project. Written with their dashes.
pub fn options_outside_allow<'w>(words: impl IntoIterator<Item = &'w str>) -> Vec<String> {
    use program_lookup::ProgramLookup;
    let table = &embedded_table::EmbeddedTable;
    let mut words = words.into_iter();
    let mut entry = words.next().and_then(|program| table.program(program));
    let mut found = Vec::new();
    while let Some(known) = entry {
        for name in known.data.outside.split_whitespace() {
            let is_short = name.len() == 1 && !known.is_single_dash();
            let written =
                if is_short || known.is_single_dash() { format!("-{name}") } else { format!("--{name}") };
            if !found.contains(&written) {
                found.push(written);
            }
        }
        entry = words.next().and_then(|word| table.subcommand(known, word));
    }
    found
}

/// All program names in the embedded table.
pub fn names() -> impl Iterator<Item = &'static str> {
    embedded_table::names()
}

/// The files the embedded table was made from, as (file name, text).
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    embedded_table::files()
}
