import type {
  AgreementAnswer, AlignmentAnswer, AuditAnswer, CalibrateAnswer, CompareAnswer, DebateAnswer, DebateRequest,
  EvaluateAnswer, EvaluateRequest, ExamAnswer, ImportAnswer, Message, MetricsAnswer, ProfileAnswer, Round, ScoreAnswer, ScoreRequest,
  SimulateAnswer, SimulateRequest, Verdict,
} from '../generated/index.ts';

/** Answers of the routes, by their path. */
export interface Answers {
  '/score': ScoreAnswer;
  '/debate': DebateAnswer;
  '/evaluate': EvaluateAnswer;
  '/simulate': SimulateAnswer;
  '/simulate/profile': ProfileAnswer;
  '/simulate/audit': AuditAnswer;
  '/computational-metrics': MetricsAnswer;
  '/agreement': AgreementAnswer;
  '/import': ImportAnswer;
  '/calibrate': CalibrateAnswer;
  '/compare': CompareAnswer;
  '/behavior-alignment': AlignmentAnswer;
  '/exam': ExamAnswer;
}

/** Requests of the routes that stream. */
export interface Streams {
  '/score': ScoreRequest;
  '/debate': DebateRequest;
  '/evaluate': EvaluateRequest;
  '/simulate': SimulateRequest;
}

export type StreamPath = keyof Streams;

/** The answer of the route at `Path`. */
export type AnswerOf<Path extends string> = Path extends keyof Answers
  ? Answers[Path]
  : Path extends `/score/${string}`
    ? Verdict
    : unknown;

/** One event of a stream; `done` carries the whole answer. Later services may send others, which `default` takes. */
export type Event<Path extends StreamPath = StreamPath> = { id: string | undefined } & (
  | { name: 'verdict'; data: Verdict }
  | { name: 'round'; data: Round }
  | { name: 'message'; data: { message: Message; rationale: string | null } }
  | { name: 'progress'; data: unknown }
  | { name: 'done'; data: Answers[Path] }
);
