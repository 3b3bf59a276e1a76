// The harness of one case: an agent in a fresh home with our hook installed, a scripted model, and an
// approver if the case needs one.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ran, run, start } from './place.mjs';
import { doctor, install, serve, writePolicy } from './sekisho.mjs';

const pins = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'pins');

/// The path of a pinned client's program.
export function programOf(agent) {
  return path.join(pins, agent.name, 'node_modules', agent.program);
}

export class Harness {
  constructor(agent, place) {
    Object.assign(this, { agent, place });
  }

  /// Prepares everything for a model that calls the shell once with `command`, or plays its own script. With
  /// `server`, a server runs and calls can wait for a human.
  async set(command, { server = false, script = [[this.agent.shell(command)]] } = {}) {
    this.model = await this.agent.model(script);
    writePolicy(this.place);
    this.agent.settings(this.place, this.model.address);
    if (server) this.human = await serve(this.place);
    await install(this.place, this.agent.name);
  }

  launch(options = {}) {
    const env = { ...this.agent.environment(this.place, this.model.address), ...options.env };
    const args = options.arguments ?? this.agent.arguments(options);
    return start(this.place, programOf(this.agent), args, { env, seconds: options.seconds, input: options.input });
  }

  /// Runs the client to its end; returns the tool results that the model received.
  async play(options) {
    return this.ended(await this.launch(options).ended);
  }

  ended(ended) {
    const toolResult = this.agent.results(this.model.log).map((result) => result.text).join('\n');
    if (ended.late) throw new Error(`the client hangs; the model received: ${toolResult || 'nothing'}`);
    if (this.model.log.length === 0) throw new Error(`the client never asked its model: ${ended.code} ${tail(ended.err || ended.out)}`);
    this.toolResult = toolResult;
    return { ...ended, toolResult };
  }

  doctor() {
    return doctor(this.place);
  }

  /// Whether the command ran, judged by the file it creates.
  expectRan(name, seen) {
    if (!ran(this.place, name)) throw new Error(`\`${name}\` did not run; the model received: ${seen.toolResult || 'nothing'} ${tail(seen.err)}`);
  }

  expectNotRan(name, seen) {
    if (ran(this.place, name)) throw new Error(`\`${name}\` ran; the model received: ${seen?.toolResult ?? 'nothing yet'}`);
  }

  expectResult(pattern, seen) {
    if (!pattern.test(seen.toolResult)) throw new Error(`the model did not receive ${pattern}, but: ${seen.toolResult || 'nothing'} ${tail(seen.err)}`);
  }

  /// The call did not run, and the model knows why.
  expectBlocked(name, seen, pattern) {
    this.expectNotRan(name, seen);
    this.expectResult(pattern, seen);
  }

  /// The doctor fails, and one of its complaints says why.
  async expectDoctor(pattern) {
    const { code, text } = await this.doctor();
    const complaints = complaintsOf(text);
    if (code === 0 || !pattern.test(complaints)) throw new Error(`the doctor (${code}) does not say ${pattern}, but: ${tail(complaints, 1500)}`);
  }

  /// The doctor finds nothing wrong with the agent.
  async expectHealthy() {
    const { code, text } = await this.doctor();
    if (code !== 0) throw new Error(`the doctor (${code}): ${tail(text, 1500)}`);
  }

  /// The client's version is the one in the lockfile.
  async expectVersion() {
    const { out, err } = await run(this.place, programOf(this.agent), ['--version'], { seconds: 240 });
    const version = /\d+\.\d+\.\d+/.exec(out)?.[0];
    if (version !== this.agent.version) throw new Error(`${this.agent.version} is pinned, ${version ?? tail(out + err)} runs`);
  }

  /// Removes our hook, as a careless upgrade would.
  removeHook() {
    fs.rmSync(path.join(this.place.bin, 'sekisho-hook'));
  }

  /// Replaces the hook with another program.
  replaceHook(text) {
    this.removeHook();
    fs.writeFileSync(path.join(this.place.bin, 'sekisho-hook'), text, { mode: 0o755 });
  }
}

/// The doctor's lines that are not ok.
function complaintsOf(text) {
  return text.split('\n').filter((line) => !line.startsWith('✓')).join('\n');
}

/// The end of a text, on one line.
export function tail(text, length = 300) {
  return String(text ?? '').trim().slice(-length).replaceAll('\n', ' | ');
}
