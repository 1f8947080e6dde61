// The way in. `generated` is the contract, `easy` the hand-written part.
export * from './generated/index.ts';
// The names that the other clients have.
export {
  auditUsers as audit, behaviorAlignment as alignment, calibrateJudges as calibrate, compareLogs as compare,
  compareRatings as agreement, computeMetrics as metrics, debateOneLog as debate, evaluateLog as evaluate,
  examineJudge as exam, getFactor as factor, importLogs as importFile, listChoices as choices,
  listFactors as factors, listFaults as faults, makeProfile as profile, scoreLog as score, simulateUser as simulate,
} from './generated/index.ts';
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
