// opencode: `opencode run`, over OpenAI-compatible chat.
import { chat, results } from '../models/chat.mjs';
import { write } from '../lib/place.mjs';

const settings = (address) => ({
  provider: {
    scripted: {
      npm: '@ai-sdk/openai-compatible',
      name: 'scripted',
      options: { baseURL: `${address}/v1`, apiKey: 'dummy' },
      models: { scripted: { name: 'scripted', tool_call: true } },
    },
  },
  model: 'scripted/scripted',
  small_model: 'scripted/scripted',
  autoupdate: false,
  share: 'disabled',
});

export default {
  name: 'opencode',
  version: '1.18.33',
  // The package for one platform: `opencode-ai` itself names packages that not every registry has.
  program: 'opencode-linux-x64/bin/opencode',
  model: chat,
  results,
  shell: (command, id = 'call_case') => ({ tool: 'bash', id, input: { command, description: 'a case' } }),
  edited: (command) => ({ command, description: 'a case' }),
  settings: (place, address) => write(place, 'home/.config/opencode/opencode.json', settings(address)),
  // Otherwise it would try to install packages, and wait for that.
  environment: () => ({
    npm_config_offline: 'true',
    npm_config_fetch_retries: '0',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  arguments: () => ['run', 'do the thing'],
};
