// The way in. `generated` is the contract, `easy` the hand-written part.
export * from './generated/index.ts';
export { connect, VERSION, withOptions } from './easy/connect.ts';
export type { Connection } from './easy/connect.ts';
export {
  AuthenticationError, CrsEvalError, InvalidRequestError, NotFoundError, PermissionDeniedError, RateLimitError,
  ServiceError, TimedOutError, UnreachableError,
} from './easy/problems.ts';
export * as parts from './easy/parts.ts';
export { retrying } from './easy/retries.ts';
export type { Attempt, Hook, Retries } from './easy/retries.ts';
export type { AnswerOf, Event, StreamPath } from './easy/routes.ts';
export { stream } from './easy/events.ts';
export type { StreamOptions } from './easy/events.ts';
export { batch } from './easy/batch.ts';
export type { BatchOptions, Result } from './easy/batch.ts';
