// What has changed in a project's file, for whoever wants to look at it after an answer.
class Kept {
  diff: string | undefined = $state();
}

export const kept = new Kept();
