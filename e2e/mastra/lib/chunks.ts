// Reads streams, and compares their chunks.

export interface Chunk {
  type: string;
  runId: string;
  from: string;
  payload: Record<string, unknown>;
}

/** What Mastra's client returns for a stream. */
interface StreamResponse {
  processDataStream(options: { onChunk(chunk: unknown): Promise<void> }): Promise<void>;
}

/** All chunks of a stream, as Mastra's client gives them. */
export async function chunksOf(response: StreamResponse): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  await response.processDataStream({
    onChunk: async (chunk) => {
      chunks.push(chunk as Chunk);
    },
  });
  return chunks;
}

/**
 * What is not compared: ids, times, and what the provider of the model said besides. `steps` and `messages` repeat the
 * whole conversation at every step in Mastra's server; ours leaves them out, and `GET /api/runs/{id}/messages` has them.
 * `resumeSchema` describes the same form in other words.
 */
const IGNORED = ['runId', 'messageId', 'startedAt', 'metadata', 'raw', 'steps', 'messages', 'processorRetryCount', 'resumeSchema'];

/** A chunk without what is not compared. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([name, field]) => !IGNORED.includes(name) && field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, comparable(field)]));
}

/** Chunks in which neighbouring results have the order of their calls' ids. Calls run at once, and any of them may end first. */
export function resultsSorted(chunks: readonly Chunk[]): Chunk[] {
  const sorted = [...chunks];
  const isResult = (chunk: Chunk | undefined) => chunk?.type === 'tool-result';
  const id = ({ payload }: Chunk) => String(payload['toolCallId']);
  for (let first = 0; first < sorted.length; first += 1) {
    if (!isResult(sorted[first])) continue;
    let end = first;
    while (isResult(sorted[end])) end += 1;
    const results = sorted.slice(first, end).sort((left, right) => id(left).localeCompare(id(right)));
    sorted.splice(first, results.length, ...results);
    first = end;
  }
  return sorted;
}

/** The results of tools, by the ids of their calls. */
export function resultsOf(chunks: readonly Chunk[]): Map<string, unknown> {
  const results = chunks.filter(({ type }) => type === 'tool-result');
  return new Map(results.map(({ payload }) => [payload['toolCallId'] as string, payload['result']]));
}

export function typesOf(chunks: readonly Chunk[]): string[] {
  return chunks.map(({ type }) => type);
}
