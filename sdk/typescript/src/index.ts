export { Backoff, type BackoffSettings } from './backoff.js';
export { type Answer, type Call, type OwnQuestion, type Permission, type Question, type SeenQuestion, Sekisho, isQuestion, isWhole } from './client.js';
export { SekishoError } from './errors.js';
export {
  type Connection,
  EventClient,
  type EventData,
  type EventSettings,
  type EventType,
  type SekishoEvent,
} from './events.js';
export { type components, type operations, type paths, routes } from './generated.js';
export type { BodyOf, Operation, PathOf, QueryOf, RequestOptions, ResultOf, Sent, Settings } from './http.js';
export type { PipelineEvent, PipelineEventType } from './pipeline-events.js';
export type { FollowSettings, RunEvent, RunEventType, RunFollowSettings } from './run-events.js';
export { type ParserListener, type ServerSentEvent, SseParser } from './sse.js';
