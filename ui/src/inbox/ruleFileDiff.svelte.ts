// Diff of a project file after a rule was remembered in it.
class RuleFileDiff {
  diff: string | undefined = $state();
}

export const ruleFileDiff = new RuleFileDiff();
