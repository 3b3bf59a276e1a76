// Diff of a project file after a rule was remembered in it.
class RememberedDiff {
  diff: string | undefined = $state();
}

export const rememberedDiff = new RememberedDiff();
