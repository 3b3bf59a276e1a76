import type { Schemas } from '../lib/client';

export type Preset = Schemas['PresetItem'];

/** What the rules of a preset match, by effect. */
export interface PresetGroup {
  effect: Schemas['Effect'];
  about: string[];
}

/** The rules of a preset, grouped by effect: allows first, then questions, then denies. */
export function rulesByEffect(rules: Preset['rules']): PresetGroup[] {
  const effects: Schemas['Effect'][] = ['allow', 'confirm', 'deny'];
  const groups = effects.map((effect) => ({
    effect,
    about: [...new Set(rules.filter((rule) => rule.effect === effect).map((rule) => rule.about))],
  }));
  return groups.filter((group) => group.about.length > 0);
}

export function hasPresetOn(presets: readonly Preset[]): boolean {
  return presets.some((preset) => preset.on);
}

/** The command that switches a preset in the user's own file. */
export function presetCommand(preset: Preset): string {
  return `sekisho rules presets ${preset.on ? '--off' : '--on'} ${preset.name}`;
}
