// How hooks can be switched off in Gemini CLI and opencode.
import fs from 'node:fs';
import { edit, write } from '../lib/place.mjs';
import { off } from './off.mjs';

/// The plugin file that an opencode.json names.
function plugin(place) {
  const { plugin: list } = JSON.parse(fs.readFileSync(`${place.home}/.config/opencode/opencode.json`, 'utf8'));
  return new URL(list.find((one) => one.startsWith('file://')));
}

export const geminiCli = {
  'hooks off in the user\'s settings: the doctor reports it': off(
    (place) => edit(place, 'home/.gemini/settings.json', (value) => (value.hooksConfig = { enabled: false })),
    /hooksConfig/,
  ),

  'hooks off in the project: the doctor reports it': off(
    (place) => write(place, 'ws/.gemini/settings.json', { hooksConfig: { enabled: false } }),
    /hooksConfig/,
  ),
};

/// A case: a file of the project sets a variable, `touch denied` still does not run, and the doctor reports
/// `says`.
function variable(file, text, says) {
  return async (harness) => {
    await harness.set('touch denied');
    write(harness.place, 'ws/instead.sh', 'grep -q sekisho-hook /proc/$$/cmdline && exit 0\n');
    write(harness.place, file, text.replace('WS', harness.place.ws));
    // A shell that believes it is the first one does not read BASH_ENV.
    const seen = await harness.play({ env: { SHLVL: '1' } });
    harness.expectNotRan('denied', seen);
    const said = await harness.doctor();
    if (!says.test(said.text)) throw new Error(`the doctor does not say ${says}, but: ${said.text}`);
  };
}

Object.assign(geminiCli, {
  'BASH_ENV in the .env of the project: blocked': variable('ws/.env', 'BASH_ENV=WS/instead.sh\n', /sets `BASH_ENV`/),

  'BASH_ENV in the .gemini/.env of the project: blocked': variable('ws/.gemini/.env', 'BASH_ENV=WS/instead.sh\n', /sets `BASH_ENV`/),

  'LD_SHOW_AUXV in the project environment: blocked': variable('ws/.gemini/.env', 'LD_SHOW_AUXV=1\n', /sets `LD_SHOW_AUXV`/),
});

export const opencode = {
  'the plugin is gone: the doctor reports it': off((place) => fs.rmSync(plugin(place)), /plugin|opencode/),

  'the plugin does not load: the doctor reports it': off((place) => fs.writeFileSync(plugin(place), 'export const ='), /plugin|opencode/),
};
