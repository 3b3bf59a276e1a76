// Claude Code: `claude -p`, over Anthropic Messages.
import { anthropic, results } from '../models/anthropic.mjs';

export default {
  name: 'claude-code',
  version: '2.1.325',
  program: '.bin/claude',
  model: anthropic,
  results,
  shell: (command, id = 'toolu_01CASE') => ({ tool: 'Bash', id, input: { command, description: 'a case' } }),
  edited: (command) => ({ command, description: 'a case' }),
  settings() {},
  environment: (place, address) => ({
    ANTHROPIC_BASE_URL: address,
    ANTHROPIC_API_KEY: 'sk-ant-dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_TMPDIR: place.tmp,
    // Without it, a run as root refuses the mode in which hooks are the only check.
    IS_SANDBOX: '1',
  }),
  /// `careful`: with Claude Code's own permission checks, so that a call runs only because the hook allows
  /// it.
  arguments: ({ careful, resume }) => [
    '-p',
    ...(resume ? ['--resume', resume] : ['do the thing']),
    '--output-format',
    'stream-json',
    '--verbose',
    ...(careful ? [] : ['--dangerously-skip-permissions']),
  ],
  /// The last line of a run is its result.
  result: (out) => JSON.parse(out.trim().split('\n').at(-1)),
};
