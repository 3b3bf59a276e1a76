import { describe, expect, it } from 'vitest';
import { type Preset, hasPresetOn, presetCommand, rulesByEffect } from '../src/rules/presets';

const preset = (over: Partial<Preset> = {}): Preset => ({ name: 'dev', on: false, files: [], ignoredIn: [], rules: [], ...over });

describe('presets', () => {
  it('groups what the rules match by effect, allows first and each once', () => {
    const rules: Preset['rules'] = [
      { effect: 'deny', about: 'git push' },
      { effect: 'allow', about: 'cargo test' },
      { effect: 'deny', about: 'env' },
      { effect: 'deny', about: 'env' },
    ];
    expect(rulesByEffect(rules)).toEqual([
      { effect: 'allow', about: ['cargo test'] },
      { effect: 'deny', about: ['git push', 'env'] },
    ]);
  });

  it('names the command that switches it', () => {
    expect(presetCommand(preset())).toBe('sekisho rules presets --on dev');
    expect(presetCommand(preset({ name: 'network-read', on: true }))).toBe('sekisho rules presets --off network-read');
  });

  it('knows whether one is on', () => {
    expect(hasPresetOn([preset(), preset({ name: 'strict' })])).toBe(false);
    expect(hasPresetOn([preset(), preset({ name: 'strict', on: true })])).toBe(true);
  });
});
