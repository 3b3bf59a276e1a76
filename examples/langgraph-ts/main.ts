// LangGraph: a node interrupts with a call, and sekisho's answer resumes it. npm install @langchain/langgraph @langchain/core @sekisho/client
import { writeFile } from 'node:fs/promises';
import { Annotation, Command, MemorySaver, START, StateGraph, interrupt, isInterrupted } from '@langchain/langgraph';
import { type ActionDecision, createInterruptHandler } from '@sekisho/client/langgraph';

interface Completion {
  choices: [{ message: { tool_calls: [{ function: { name: string; arguments: string } }] } }];
}

const State = Annotation.Root({ name: Annotation<string>, text: Annotation<string>, result: Annotation<string> });
const graph = new StateGraph(State)
  .addNode('model', async () => {
    const body = { model: 'example', messages: [{ role: 'user', content: 'Write a note.' }], tools: [{ type: 'function', function: { name: 'write_note' } }] };
    const response = await fetch(`${process.env['OPENAI_BASE_URL']}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
    const call = ((await response.json()) as Completion).choices[0].message.tool_calls[0].function;
    return { name: call.name, text: (JSON.parse(call.arguments) as { text: string }).text };
  })
  .addNode('tool', async ({ name, text }) => {
    const decision = interrupt<object, ActionDecision>({ name, args: { text } });
    if (decision.type === 'reject') return { result: `denied: ${decision.message}` };
    await writeFile('note.txt', decision.type === 'edit' ? String(decision.editedAction.args['text']) : text);
    return { result: 'done' };
  })
  .addEdge(START, 'model')
  .addEdge('model', 'tool')
  .compile({ checkpointer: new MemorySaver() });

const decide = createInterruptHandler({ conversationId: `example-${process.pid}` });
const config = { configurable: { thread_id: 'example' } };
let result = await graph.invoke({}, config);
while (isInterrupted(result)) result = await graph.invoke(new Command({ resume: await decide(result.__interrupt__) }), config);
console.log('result:', result.result);
