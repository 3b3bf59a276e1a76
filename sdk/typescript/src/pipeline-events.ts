// The events of one run of a pipeline.
import type { Http } from './http.js';
import { type FollowSettings, followStream } from './run-events.js';

/** The type of an event of a run of a pipeline. */
export type PipelineEventType = 'stage-start' | 'stage-pending' | 'stage-finish' | 'stage-error' | 'finish';

/** An event of a run of a pipeline. Follow the runs of its stages for what their models say. */
export interface PipelineEvent {
  /** Its type. Newer servers may send others, which can be ignored. */
  type: PipelineEventType;
  /** The run of the pipeline. */
  pipelineRunId: string;
  /** What happened; its fields depend on the type. */
  payload: Record<string, unknown>;
  /** Where another call could continue. `stage-pending` is not stored and has none. */
  id: string | undefined;
}

/** Used by `Sekisho.followPipelineRun()`. */
export function followPipelineRun(
  http: Http,
  id: string,
  settings: FollowSettings = {},
): AsyncGenerator<PipelineEvent, void, undefined> {
  return followStream<PipelineEvent>(http, { operation: 'followPipelineRun', id, query: {} }, settings);
}
