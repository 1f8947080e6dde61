// The way in. `generated` is the contract, `easy` the hand-written part.
export * from './generated/index.ts';
export { connect } from './easy/connect.ts';
export type { Connection } from './easy/connect.ts';
export { CrsEvalError, UnreachableError } from './easy/problems.ts';
export { retrying } from './easy/retries.ts';
export type { Retries } from './easy/retries.ts';
export { stream } from './easy/events.ts';
export type { Event, StreamOptions, StreamPath } from './easy/events.ts';
export { batch } from './easy/batch.ts';
export type { BatchOptions } from './easy/batch.ts';
