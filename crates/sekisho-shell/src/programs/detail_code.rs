//! Why a command is not known to be harmless, or why it is unknown what it runs.

use std::borrow::Cow;

use super::code_macro::codes;
use crate::wording::say;

codes! {
    /// Why a command is not known to be harmless, or why it is unknown what it runs. `{name}` is replaced by
    /// [`Obstacle::name`] or the name in the reason.
    ///
    /// [`Obstacle::name`]: super::Obstacle::name
    pub enum Detail {
        NoProgram "no_program" "there is no program",
        ComputedProgram "computed_program" "the program's name is computed",
        ProgramElsewhere "program_elsewhere" "the program is taken from outside the system's directories",
        UnknownProgram "unknown_program" "{name} is not a known program",
        NotListed "not_listed" "no harmless use of it is known",
        NoHarmlessUse "no_harmless_use" "no harmless use of {name} is known",
        NoHarmlessSubcommand "no_harmless_subcommand" "no harmless subcommand of {name} is given",
        OtherDirectory "other_directory" "it works in another directory",
        NeedsOption "needs_option" "it is harmless only with an option that says so",
        OperandNeedsOption "operand_needs_option" "an operand is harmless only with an option that says so",
        TooManyOperands "too_many_operands" "one more operand than is harmless",
        MayBecomeTooMany "may_become_too_many" "a word may become more operands than are harmless",
        OperandPrefix "operand_prefix" "only an operand that begins with {name} is harmless",
        SetsOtherVariable "sets_other_variable" "it sets something other than a plain variable",
        UnknownOption "unknown_option" "the option {name} is not known",
        UnprovenOption "unproven_option" "the option {name} is not known to be harmless",
        OptionTakesNoValue "option_takes_no_value" "the option {name} takes no value",
        MayBeOption "may_be_option" "a computed word may turn out to be an option",
        ComputedValue "computed_value" "the value is computed, and it matters here",
        ReadsStandardInput "reads_standard_input" "it reads standard input, which can name other files",
        UnprovenValue "unproven_value" "this value is not known to be harmless",
        GitFormat "git_format" "the format can make git run a program",
        GitSort "git_sort" "git may run a program to sort by this",
        NotASetting "not_a_setting" "this is not the name of a setting",
        WaitsLong "waits_long" "it waits for long, or how long is not plain",
        JqProgram "jq_program" "the program may load others or show the environment",
        GitSetting "git_setting" "this setting of git is not known to be harmless",
        SedScript "sed_script" "the sed script is not of the kind known to only print",
        PrintfFormat "printf_format" "the format sets a variable",
        ComputedReplacement "computed_replacement" "which words it replaces is computed",
        NoClosingBracket "no_closing_bracket" "the closing bracket is missing",
        MayChangeTest "may_change_test" "a word may become several and change the test",
        NotASimpleTest "not_a_simple_test" "the test is not of a simple form",
        FindComputedWord "find_computed_word" "a word of the expression is computed",
        FindOption "find_option" "find has no harmless {name}",
        FindComputedCommand "find_computed_command" "the command to run is computed",
        FindExecutes "find_executes" "find runs another command",
        NameSplits "name_splits" "without quotes this name becomes others",
        ComputedPath "computed_path" "what it reads is computed, and could be any file",
        ChangesMeaning "changes_meaning" "it changes what the command means",
        LeavesSandbox "leaves_sandbox" "it asks to leave the agent's own sandbox",
        SecondDirectory "second_directory" "it names a second directory",
        UnknownDirectoryField "unknown_directory_field" "it names a directory in a way this agent does not know",
        UncertainStart "uncertain_start" "where the command it runs begins is uncertain",
        ComputedEnd "computed_end" "where the command it runs ends is computed",
        NoCommand "no_command" "it runs a command that is not given",
        SettingMayRun "setting_may_run" "the setting may name a program",
        OptionsUnknown "options_unknown" "its options are not all known",
        OptionsContradict "options_contradict" "its options contradict each other",
        RunsCommandFile "runs_command_file" "it runs a file of commands",
        BuiltFromParts "built_from_parts" "it builds the command it runs from parts",
        OptionRuns "option_runs" "the option runs a program",
        SedRuns "sed_runs" "sed runs what it reads",
        RunsInput "runs_input" "it runs what it is fed",
        ComputedText "computed_text" "it runs a shell text that is computed",
        OtherShell "other_shell" "it runs a text for a shell that is not read here",
    }
}

impl Detail {
    /// The sentence for people.
    pub fn sentence(self, name: Option<&str>) -> Cow<'static, str> {
        match name {
            Some(name) => say(self.english().replace("{name}", name)),
            None => say(self.english()),
        }
    }
}
