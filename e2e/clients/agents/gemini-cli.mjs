// Gemini CLI: `gemini -p`, over generateContent.
import { gemini, results } from '../models/gemini.mjs';
import { write } from '../lib/place.mjs';

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

export default {
  name: 'gemini-cli',
  version: '0.61.0',
  program: '.bin/gemini',
  model: gemini,
  results,
  shell: (command, id = 'case') => ({ tool: 'run_shell_command', id, input: { command, description: 'a case' } }),
  edited: (command) => ({ command, description: 'a case' }),
  settings: (place) => write(place, 'home/.gemini/settings.json', settings),
  environment: (place, address) => ({
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: address,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  // Names a model: otherwise another model is asked first which to use.
  arguments: () => ['-m', 'gemini-2.5-flash', '-p', 'do the thing', '--approval-mode', 'yolo'],
};
