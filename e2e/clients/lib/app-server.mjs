// Codex as an editor would drive it: JSON-RPC lines over `codex app-server`.
import readline from 'node:readline';
import { spawn } from 'node:child_process';
import { environment, kill } from './place.mjs';
import { programOf, tail } from './harness.mjs';

/// One turn in a thread that asks on request. The client itself declines everything: what runs, runs because
/// the hook allowed it.
export async function converse(harness) {
  const { place, agent } = harness;
  const env = environment(place, agent.environment(place, harness.model.address));
  const child = spawn(programOf(agent), ['app-server'], { cwd: place.ws, env, detached: true });
  place.running.push(child);
  let err = '';
  child.stderr.on('data', (piece) => (err += piece));
  const waiting = new Map();
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const call = (method, params) =>
    new Promise((resolve, reject) => {
      const id = waiting.size + 1;
      waiting.set(id, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)));
      send({ id, method, params });
    });
  const turned = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`the app server hangs: ${tail(err)}`)), 240_000).unref();
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method === 'turn/completed') resolve();
      else if (message.method && message.id !== undefined) send({ id: message.id, result: { decision: 'decline' } });
      else if (message.id !== undefined) waiting.get(message.id)?.(message);
    });
  });
  await call('initialize', { clientInfo: { name: 'sekisho-cases', version: '1' } });
  send({ method: 'initialized' });
  const { thread } = await call('thread/start', { cwd: place.ws, approvalPolicy: 'on-request', sandbox: 'danger-full-access' });
  await call('turn/start', { threadId: thread.id, input: [{ type: 'text', text: 'do the thing' }] });
  await turned;
  kill(child);
  return harness.ended({ code: 0, out: '', err });
}
