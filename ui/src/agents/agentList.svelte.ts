// The agents and the built-in tools.
import { client, type Schemas } from '../lib/client';
import { SharedList } from '../lib/sharedList.svelte';

export type Agent = Schemas['AgentView'];
export type BuiltInTool = Schemas['BuiltInTool'];

export const agentList = new SharedList('agents', async () => (await client.agents.list()).agents);

class Tools {
  #list: readonly BuiltInTool[] = $state.raw([]);
  #loading = false;

  /** All built-in tools; empty until loaded. */
  get list(): readonly BuiltInTool[] {
    return this.#list;
  }

  /** Loads them once; they change only with the binary. */
  async load(): Promise<void> {
    if (this.#loading || this.#list.length > 0) return;
    this.#loading = true;
    try {
      this.#list = await client.tools.list();
    } finally {
      this.#loading = false;
    }
  }
}

export const tools = new Tools();

export function enabledTools(agent: Agent): string[] {
  return agent.tools.filter((tool) => tool.isEnabled).map((tool) => tool.toolName);
}
