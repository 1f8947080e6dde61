import type { Problem } from '../generated/index.ts';

/** The service answered with a problem (RFC 9457), or something before it with a page. */
export class CrsEvalError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: Problem['errors'];
  /** Id of the request in the service's log. */
  readonly request_id: string;

  constructor(status: number, problem: Partial<Problem>) {
    // Where errors are listed, the detail repeats the first of them.
    const errors = (problem.errors ?? []).map((e) => `\n  ${e.pointer || 'the body'}: ${e.detail}; ${e.fix}`);
    const said = errors.length > 0 ? problem.title : problem.detail ?? problem.title;
    super(`${status} ${said ?? ''}${errors.join('')}`);
    this.name = 'CrsEvalError';
    this.status = status;
    this.problem = problem;
    this.type = problem.type ?? 'about:blank';
    this.title = problem.title ?? '';
    this.detail = problem.detail ?? '';
    this.errors = problem.errors ?? [];
    this.request_id = problem.request_id ?? '';
  }

  get retryable(): boolean {
    return this.problem.retryable !== false;
  }

  /** The error of the class that its status has. `body` is a problem, its JSON text, or the text of a proxy's page. */
  static of(status: number, body: unknown): CrsEvalError {
    const problem = typeof body === 'string' ? problemIn(body) ?? { title: body.slice(0, 200), status } : body;
    const Kind = KINDS[status] ?? (status >= 500 ? ServiceError : CrsEvalError);
    return new Kind(status, problem ?? {});
  }
}

/** 401: no key, or none that the service knows. */
export class AuthenticationError extends CrsEvalError {}

/** 403: the key does not open this route. */
export class PermissionDeniedError extends CrsEvalError {}

/** 404: there is nothing under that name. */
export class NotFoundError extends CrsEvalError {}

/** 400 and 422: the request does not fit the contract; `errors` names each field and the fix. */
export class InvalidRequestError extends CrsEvalError {}

/** 429: too many requests. */
export class RateLimitError extends CrsEvalError {}

/** 5xx: the service, or a model behind it, gave no answer. */
export class ServiceError extends CrsEvalError {}

const KINDS: Record<number, typeof CrsEvalError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  422: InvalidRequestError,
  429: RateLimitError,
};

/** No answer came, or not all of it, however often it was tried. */
export class UnreachableError extends Error {
  override readonly name: string = 'UnreachableError';
}

/** No answer came in the time that the connection allows. */
export class TimedOutError extends UnreachableError {
  override readonly name = 'TimedOutError';
}

/** An answer that began and broke off. */
export class CutShortError extends UnreachableError {
  override readonly name = 'CutShortError';
}

/** Why a body was not read to its end. fetch tells a connection that broke by a TypeError, an abort by its reason. */
export function brokenOff(lost: unknown): unknown {
  return lost instanceof TypeError ? new CutShortError('the answer broke off', { cause: lost }) : lost;
}

/** The problem that a body holds; undefined for a proxy's page. */
export function problemIn(body: string): Partial<Problem> | undefined {
  try {
    const found: unknown = JSON.parse(body);
    return found !== null && typeof found === 'object' && !Array.isArray(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
