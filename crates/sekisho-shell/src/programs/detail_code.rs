//! Why a command is not known to be harmless, or why it is unknown what it runs.

use std::borrow::Cow;

use super::code_enum_macro::codes;
use crate::wording::say;

codes! {
    /// Why a command is not known to be harmless, or why it is unknown what it runs. `{name}` is replaced by
    /// [`Obstacle::name`] or the name in the reason.
    ///
    /// [`Obstacle::name`]: super::Obstacle::name
    pub enum Detail {
        NoProgram "no_program" "no program is named",
        ComputedProgram "computed_program" "the program's name is computed",
        ProgramElsewhere "program_elsewhere" "the program is outside the system directories",
        UnknownProgram "unknown_program" "{name} is not a known program",
        NotListed "not_listed" "no safe use of it is known",
        NoHarmlessUse "no_harmless_use" "no safe use of {name} is known",
        NoHarmlessSubcommand "no_harmless_subcommand" "no safe subcommand of {name} is used",
        OtherDirectory "other_directory" "it works in another directory",
        NeedsOption "needs_option" "it is safe only with an option that is missing",
        OperandNeedsOption "operand_needs_option" "this argument is safe only with an option that is missing",
        TooManyOperands "too_many_operands" "there are more arguments than is safe",
        MayBecomeTooMany "may_become_too_many" "a word may expand to more arguments than is safe",
        OperandPrefix "operand_prefix" "only an argument that starts with {name} is safe",
        SetsOtherVariable "sets_other_variable" "it sets something other than a plain variable",
        UnknownOption "unknown_option" "the option {name} is unknown",
        UnprovenOption "unproven_option" "the option {name} may not be safe",
        OptionTakesNoValue "option_takes_no_value" "the option {name} takes no value",
        MayBeOption "may_be_option" "a computed word may become an option",
        ComputedValue "computed_value" "the value is computed, and it matters here",
        ReadsStandardInput "reads_standard_input" "it reads standard input, which can name other files",
        UnprovenValue "unproven_value" "this value may not be safe",
        NotInstalled "not_installed" "{name} is not installed in the project, so it would be downloaded",
        SpecialName "special_name" "a file or directory of this name can mean something to tools, or it is behind a link",
        GitFormat "git_format" "the format can make git run a program",
        GitSort "git_sort" "git may run a program to sort by this",
        NotASetting "not_a_setting" "this is not the name of a setting",
        WaitsLong "waits_long" "it waits for a long or unknown time",
        JqProgram "jq_program" "the program may load others or show environment variables",
        GitSetting "git_setting" "this git setting may not be safe",
        SedScript "sed_script" "the sed script may do more than print",
        PrintfFormat "printf_format" "the format sets a variable",
        AwkProgram "awk_program" "the awk program may do more than print",
        YqPath "yq_path" "the program may do more than select a value",
        NamesHost "names_host" "it may ask a name server for a host",
        OtherMachine "other_machine" "a name with a colon can mean another machine",
        OutsideAllow "outside_allow" "the option {name} can make it run or read something else, so a rule must name it",
        TooFewOperands "too_few_operands" "without an argument it is not safe",
        ShowsEnvironment "shows_environment" "it may show the environment variables of other processes",
        ComputedReplacement "computed_replacement" "it is computed which words are replaced",
        NoClosingBracket "no_closing_bracket" "the closing bracket is missing",
        MayChangeTest "may_change_test" "a word may expand to several and change the test",
        NotASimpleTest "not_a_simple_test" "the test is not simple",
        FindComputedWord "find_computed_word" "a word of the expression is computed",
        FindOption "find_option" "find {name} may not be safe",
        FindComputedCommand "find_computed_command" "the command to run is computed",
        FindExecutes "find_executes" "find runs another command",
        NameSplits "name_splits" "without quotes, this name can split into others",
        ComputedPath "computed_path" "the file it reads is computed and could be any file",
        ChangesMeaning "changes_meaning" "it changes what the command does",
        LeavesSandbox "leaves_sandbox" "it asks to run outside the agent's sandbox",
        SecondDirectory "second_directory" "it names a second directory",
        UnknownDirectoryField "unknown_directory_field" "it sets a directory in a way this agent does not use",
        UncertainStart "uncertain_start" "it is unclear where the command it runs starts",
        ComputedEnd "computed_end" "it is computed where the command it runs ends",
        NoCommand "no_command" "it runs a command, but none is given",
        SettingMayRun "setting_may_run" "the setting may name a program",
        OptionsUnknown "options_unknown" "some of its options are unknown",
        OptionsContradict "options_contradict" "its options contradict each other",
        RunsCommandFile "runs_command_file" "it runs the commands in a file",
        BuiltFromParts "built_from_parts" "it assembles the command it runs",
        OptionRuns "option_runs" "this option runs a program",
        SedRuns "sed_runs" "sed runs its input as commands",
        RunsInput "runs_input" "it runs its standard input as commands",
        ComputedText "computed_text" "it runs shell text that is computed",
        OtherShell "other_shell" "it runs text for a shell that cannot be checked here",
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
