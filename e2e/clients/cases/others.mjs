// How Gemini CLI and opencode let hooks be switched off.
import fs from 'node:fs';
import { edit, write } from '../lib/place.mjs';
import { off } from './off.mjs';

/// The plugin file that an opencode.json names.
function plugin(place) {
  const { plugin: list } = JSON.parse(fs.readFileSync(`${place.home}/.config/opencode/opencode.json`, 'utf8'));
  return new URL(list.find((one) => one.startsWith('file://')));
}

export const geminiCli = {
  'hooks off in the user\'s settings: the doctor says so': off(
    (place) => edit(place, 'home/.gemini/settings.json', (value) => (value.hooksConfig = { enabled: false })),
    /hooksConfig/,
  ),

  'hooks off in the project: the doctor says so': off(
    (place) => write(place, 'ws/.gemini/settings.json', { hooksConfig: { enabled: false } }),
    /hooksConfig/,
  ),
};

export const opencode = {
  'the plugin is gone: the doctor says so': off((place) => fs.rmSync(plugin(place)), /plugin|opencode/),

  'the plugin does not load: the doctor says so': off((place) => fs.writeFileSync(plugin(place), 'export const ='), /plugin|opencode/),
};
