// Codex: `codex exec`, over OpenAI Responses.
import { responses, results } from '../models/responses.mjs';
import { write } from '../lib/place.mjs';

const config = (address) => `model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
apps = false

[model_providers.scripted]
name = "scripted"
base_url = "${address}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
supports_websockets = false
`;

export default {
  name: 'codex',
  version: '0.166.0',
  program: '.bin/codex',
  model: responses,
  results,
  shell: (command, id = 'call_case') => ({ tool: 'exec_command', id, input: { cmd: command } }),
  edited: (command) => ({ command }),
  settings: (place, address) => write(place, 'home/.codex/config.toml', config(address)),
  environment: () => ({ SCRIPTED_KEY: 'dummy' }),
  arguments: () => ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', 'do the thing'],
};
