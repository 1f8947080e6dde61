import type { Problem } from '../generated/index.ts';

/** The service answered with a problem (RFC 9457), or something before it with a page. */
export class CrsEvalError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    // Where errors are listed, the detail repeats the first of them.
    const errors = (problem.errors ?? []).map((e) => `\n  ${e.pointer || 'the body'}: ${e.detail}; ${e.fix}`);
    const said = errors.length > 0 ? problem.title : problem.detail ?? problem.title;
    super(`${status} ${said ?? ''}${errors.join('')}`);
    this.name = 'CrsEvalError';
    this.status = status;
    this.problem = problem;
  }

  get retryable(): boolean {
    return this.problem.retryable !== false;
  }

  static of(status: number, body: string): CrsEvalError {
    return new CrsEvalError(status, problemIn(body) ?? { title: body.slice(0, 200), status });
  }
}

/** No answer came, or not all of it, however often it was tried. */
export class UnreachableError extends Error {
  override readonly name: string = 'UnreachableError';
}

/** An answer that began and broke off. */
export class CutShortError extends UnreachableError {
  override readonly name = 'CutShortError';
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
