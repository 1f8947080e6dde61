import { problemIn, TimedOutError, UnreachableError } from './problems.ts';

/**
 * At most `attempts` in all, `connections` of them where nothing takes the connection (3, under 3 s);
 * a `Retry-After` over `longest` seconds is not waited for.
 */
export interface Retries {
  attempts?: number;
  connections?: number;
  longest?: number;
  sleep?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

/** Troubles that pass. Every route may be asked again: none changes anything. */
const PASSING = new Set([429, 502, 503, 504]);

/** Node's codes of connections that broke after they were made; a browser gives none. */
const BROKEN = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** One attempt of a request. `status` is undefined where no answer came, which `error` says; `wait` is in seconds. */
export interface Attempt {
  method: string;
  path: string;
  number: number;
  seconds: number;
  status?: number;
  requestId?: string;
  error?: string;
  wait?: number;
}

export type Hook = (attempt: Attempt) => void;

/** `fetch` that waits out troubles that pass: refusals for as long as they ask, lost connections. */
export function retrying(
  fetch: typeof globalThis.fetch,
  retries: Retries = {},
  { hook, timeout }: { hook?: Hook; timeout?: number } = {},
): typeof globalThis.fetch {
  const { attempts = 6, connections = 3, longest = 60, sleep = pause } = retries;
  return async (input, init) => {
    const given = new Request(input, init);
    const late = timeout === undefined ? [] : [AbortSignal.timeout(timeout * 1000)];
    const request = late.length ? new Request(given, { signal: AbortSignal.any([given.signal, ...late]) }) : given;
    for (let attempt = 1; ; attempt++) {
      const begun = performance.now();
      const wait = await tried(attempt, (told) => {
        const { pathname: path } = new URL(request.url);
        hook?.({ method: request.method, path, number: attempt, seconds: (performance.now() - begun) / 1000, ...told });
      });
      if (typeof wait !== 'number') return wait;
      await sleep(wait, request.signal);
      request.signal.throwIfAborted();
    }

    async function tried(attempt: number, tell: (told: Partial<Attempt>) => void): Promise<Response | number> {
      let response: Response;
      try {
        // A redirect would carry the conversation, and in some browsers the key, to wherever it points.
        response = await fetch(new Request(request.clone(), { redirect: 'manual' }));
      } catch (lost) {
        const most = lost instanceof TypeError && wasConnected(lost) ? attempts : Math.min(attempts, connections);
        const again = !request.signal.aborted && lost instanceof TypeError && attempt < most;
        const wait = again ? backoff(attempt) : undefined;
        tell({ error: lost instanceof TypeError ? reasonOf(lost) : String(lost), ...(again ? { wait } : {}) });
        if (late.some((limit) => limit.aborted)) {
          throw new TimedOutError(`no answer from ${new URL(request.url).origin} in ${timeout} s`, { cause: lost });
        }
        if (request.signal.aborted || !(lost instanceof TypeError)) throw lost;
        if (wait !== undefined) return wait;
        throw new UnreachableError(`no answer from ${new URL(request.url).origin}: ${reasonOf(lost)}`, { cause: lost });
      }
      const wait = attempt < attempts ? await waitAfter(response, attempt, longest) : undefined;
      const requestId = response.headers.get('X-Request-ID') ?? undefined;
      tell({ status: response.status, ...(requestId ? { requestId } : {}), ...(wait === undefined ? {} : { wait }) });
      if (wait === undefined) return response;
      await response.body?.cancel();
      return wait;
    }
  };
}

/** Seconds until the next attempt; undefined to give up. What a problem says of itself counts. */
async function waitAfter(response: Response, attempt: number, longest: number): Promise<number | undefined> {
  if (response.ok) return undefined;
  const told = problemIn(await response.clone().text())?.retryable;
  if (!(told ?? PASSING.has(response.status))) return undefined;
  const asked = retryAfter(response.headers.get('Retry-After'));
  return asked === undefined ? backoff(attempt) : asked > longest ? undefined : asked;
}

function wasConnected(lost: TypeError): boolean {
  return BROKEN.has((lost.cause as { code?: string } | undefined)?.code ?? '');
}

/** Node tells the reason as the cause of a "fetch failed", a browser in the message alone. */
function reasonOf(lost: TypeError): string {
  const cause = lost.cause as { code?: string; message?: string } | undefined;
  return cause?.message || cause?.code || lost.message;
}

/** Half a second, doubled with each attempt up to 8 s, and spread so that callers do not march in step. */
export function backoff(attempt: number): number {
  return Math.min(8, 0.5 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** Seconds of a `Retry-After` header, which may be a number or a date. */
export function retryAfter(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

/** Waits; aborted, it ends at once with the signal's reason. */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
