// A model for LangChain that plays a script; which turn is due follows from the messages.
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import type { Script } from './models.js';

export class ScriptedChatModel extends BaseChatModel {
  readonly #script: Script;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const turn = this.#script[messages.filter((message) => message.getType() === 'ai').length] ?? 'done';
    const calls = typeof turn === 'string' ? [] : turn.map(({ tool, id, input }) => ({ name: tool, id, args: input, type: 'tool_call' as const }));
    const text = typeof turn === 'string' ? turn : '';
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls: calls }) }] };
  }
}
