// The stored pipelines, and the newest runs.
import { client, type Schemas } from '../lib/client';
import { SharedList } from '../lib/sharedList.svelte';

export type Pipeline = Schemas['PipelineView'];
export type PipelineRun = Schemas['PipelineRunView'];
export type Status = Schemas['RunStatus'];

export const pipelineList = new SharedList('pipelines', async () => (await client.pipelines.list()).pipelines);
export const runList = new SharedList('pipeline-runs', async () => (await client.pipelineRuns.list()).runs);
