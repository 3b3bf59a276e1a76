// Agents whose models follow scripts, with tools.
import type { Harness } from './harness.js';

/** Writes the script of a model, and creates an agent of the same name that follows it. Returns its id. */
export async function scriptedAgent(harness: Harness, name: string, steps: unknown[], tools: readonly string[] = []): Promise<string> {
  const model = name.replace(/[^a-z0-9]+/gi, '-');
  harness.server.script(model, steps);
  const admin = harness.as('admin');
  const { id } = await admin.agents.create({ name, provider: 'scripted', model, systemPrompt: `You are the ${name} of a small team. Be brief, and name your sources.` });
  await admin.tools.configure({ agent_id: id, tools: tools.map((tool_name) => ({ tool_name, is_enabled: true })) });
  return id;
}

/** Agents and a pipeline for previews and screenshots. Returns their ids. */
export async function sampleAgents(harness: Harness): Promise<{ writer: string; pipeline: string; run: string }> {
  await scriptedAgent(harness, 'searcher', [{ text: 'Solar power grew by a quarter last year. Three sources agree.' }], ['web_search', 'web_fetch', 'read']);
  await scriptedAgent(harness, 'analyst', [{ text: 'The sources agree on growth, and differ on costs.' }]);
  const write = { name: 'file_write', input: { path: 'doc/report.md', content: '# Solar power\n' } };
  const writer = await scriptedAgent(harness, 'writer', [{ text: 'I write the report.', calls: [write] }, { text: 'The report is in doc/report.md.' }], ['file_write', 'read', 'grep', 'shell_exec', 'git_ops', 'todo_write']);
  const admin = harness.as('admin');
  const { id } = await admin.pipelines.create({
    name: 'report',
    description: 'Searches, analyses, and writes a report.',
    stages: [
      { name: 'search', agent: 'searcher', prompt: 'Find sources about {{input}}.', enabledTools: ['web_search'] },
      { name: 'analyse', agent: 'analyst', prompt: 'What do these sources say about {{input}}?\n\n{{previous}}' },
      { name: 'write', agent: 'writer', prompt: 'Write doc/report.md:\n\n{{previous}}', enabledTools: ['file_write'], toolConfig: { file_write: { allowed_dirs: ['doc'] } } },
    ],
  });
  const run = await admin.pipelines.run(id, { input: 'solar power' });
  return { writer, pipeline: id, run: run.id };
}

/** A run that has ended, and an agent whose model is at OPENAI_BASE_URL, for screenshots. */
export async function sampleRuns(harness: Harness): Promise<{ finished: string; proofreader: string }> {
  const admin = harness.as('admin');
  const tools = ['read', 'shell_exec', 'file_write', 'todo_write'];
  const check = 'printf "\\033[32m✓\\033[0m 14 links\\n\\033[32m✓\\033[0m 3 figures\\n\\033[33m!\\033[0m 1 figure has no source\\n"; touch /opt/report';
  const agent = await scriptedAgent(
    harness,
    'editor',
    [
      { text: 'I note the price that the newer source names, then check the report.', calls: [{ name: 'file_write', input: { path: 'doc/notes.md', content: '# Prices\n\nThe newer source says 3.8 cents.\n' } }] },
      { text: 'Now the checks.', calls: [{ name: 'shell_exec', input: { command: check } }] },
      { text: 'The report is ready. One figure still has no source: the price in the second part.' },
    ],
    tools,
  );
  const finished = (await admin.runs.start({ agent_id: agent, input: 'Check the figures of the report, and note what is wrong.' }, { wait: false })).run_id;
  for (let turn = 0; turn < 600; turn += 1) {
    const run = await admin.runs.show(finished);
    if (run.status === 'completed') break;
    for (const { toolCallId } of run.pending) await admin.runs.approve(finished, { toolCallId });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { id: proofreader } = await admin.agents.create({ name: 'proofreader', provider: 'openai', model: 'gpt-4.1', systemPrompt: 'You check texts against their sources.' });
  await admin.tools.configure({ agent_id: proofreader, tools: ['read', 'grep', 'file_write'].map((tool_name) => ({ tool_name, is_enabled: true })) });
  return { finished, proofreader };
}
