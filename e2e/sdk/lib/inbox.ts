// People who answer in the inbox of a real server.
import { type Answer, type SeenQuestion, type Sekisho, SekishoError } from '@sekisho/client';
import { TestServer, type ServerOptions } from '../../../sdk/typescript/test/test-server.js';

/** A server whose rules deny one command and ask about everything that is not known to be harmless. */
export function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const deny = [{ tool: 'bash', command: 'touch denied', note: 'the note of the rule' }];
  return TestServer.start({ config: JSON.stringify({ version: 1, permissions: { deny } }), ...options });
}

/** Retries until there is a result, for a bounded time. */
export async function until<T>(what: string, probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`${what}: nothing in 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** On a busy machine the server closes an idle connection just when it is used again. */
function ignoreLostConnection(error: unknown): undefined {
  if (!(error instanceof SekishoError && error.passing)) throw error;
}

/** The open questions, as soon as there are so many. */
export function questions(server: TestServer, count: number): Promise<SeenQuestion[]> {
  return until(`${count} questions`, async () => {
    const listed = await server.as('viewer').approvals.list({ state: 'pending' }).catch(ignoreLostConnection);
    return listed !== undefined && listed.approvals.length >= count ? listed.approvals : undefined;
  });
}

/** Waits for one question and answers it. */
export async function answerNext(server: TestServer, answer: Omit<Answer, 'digest'>): Promise<SeenQuestion> {
  const [question] = await questions(server, 1);
  await answerTo(server.as('approver') as unknown as Sekisho, question!, answer);
  return question!;
}

export async function answerTo(who: Sekisho, { id, digest }: SeenQuestion, answer: Omit<Answer, 'digest'>): Promise<void> {
  await who.approvals.answer(id, { ...answer, digest } as Answer);
}

/** All questions there ever were, newest first. */
export async function asked(server: TestServer): Promise<SeenQuestion[]> {
  return (await server.as('viewer').approvals.list({})).approvals as SeenQuestion[];
}

/** The settings of a helper that asks as an agent. */
export function settingsOf(server: TestServer, conversationId: string) {
  // A busy machine takes longer than the default until the server has responded.
  return { baseUrl: server.address, token: server.token('agent')!, workspaceId: 'tests', conversationId, unreachableMs: 120_000 };
}
