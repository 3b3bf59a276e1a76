// Agents whose models follow scripts, with tools.
import type { Harness } from './harness.js';

/** Writes the script of a model, and creates an agent of the same name that follows it. Returns its id. */
export async function scriptedAgent(harness: Harness, name: string, steps: unknown[], tools: readonly string[] = []): Promise<string> {
  const model = name.replace(/[^a-z0-9]+/gi, '-');
  harness.server.script(model, steps);
  const admin = harness.as('admin');
  const { id } = await admin.agents.create({ name, provider: 'scripted', model, systemPrompt: `You are ${name}.` });
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
