// What has changed in a project's file, for whoever wants to look at it after an answer.
class RememberedDiff {
  diff: string | undefined = $state();
}

export const rememberedDiff = new RememberedDiff();
