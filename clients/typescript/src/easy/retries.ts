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
    const request = new Request(given, { signal: AbortSignal.any([given.signal, ...late]) });
    const { origin, pathname: path } = new URL(request.url);
    try {
      for (let attempt = 1; ; attempt++) {
        const begun = performance.now();
        let response: Response | undefined;
        let lost: unknown;
        try {
          // A redirect would carry the conversation, and in some browsers the key, to wherever it points.
          response = await fetch(new Request(request.clone(), { redirect: 'manual' }));
        } catch (error) {
          lost = error;
        }
        const most = response || wasConnected(lost) ? attempts : Math.min(attempts, connections);
        const passes = response ? await isPassing(response) : lost instanceof TypeError && !request.signal.aborted;
        const asked = retryAfter(response?.headers.get('Retry-After'));
        const wait = passes && attempt < most && (asked ?? 0) <= longest ? asked ?? backoff(attempt) : undefined;
        hook?.({
          method: request.method, path, number: attempt, seconds: (performance.now() - begun) / 1000, wait,
          status: response?.status, requestId: response?.headers.get('X-Request-ID') ?? undefined,
          error: response ? undefined : reasonOf(lost),
        });
        if (wait === undefined) {
          if (response) return response;
          throw passes ? new UnreachableError(`no answer from ${origin}: ${reasonOf(lost)}`, { cause: lost }) : lost;
        }
        await response?.body?.cancel();
        await sleep(wait, request.signal);
        request.signal.throwIfAborted();
      }
    } catch (lost) {
      if (!late.some((limit) => limit.aborted)) throw lost;
      throw new TimedOutError(`no answer from ${origin} in ${timeout} s`, { cause: lost });
    }
  };
}

/** Tells a trouble that passes: what a problem says of itself counts, else its status. */
async function isPassing(response: Response): Promise<boolean> {
  if (response.ok) return false;
  const body = await response.clone().text().catch(() => '');
  return problemIn(body)?.retryable ?? PASSING.has(response.status);
}

function wasConnected(lost: unknown): boolean {
  return lost instanceof TypeError && BROKEN.has((lost.cause as { code?: string } | undefined)?.code ?? '');
}

/** Node tells the reason as the cause of a "fetch failed", a browser in the message alone. */
function reasonOf(lost: unknown): string {
  if (!(lost instanceof TypeError)) return String(lost);
  const cause = lost.cause as { code?: string; message?: string } | undefined;
  return cause?.message || cause?.code || lost.message;
}

/** Half a second, doubled with each attempt up to 8 s, and spread so that callers do not march in step. */
export function backoff(attempt: number): number {
  return Math.min(8, 0.5 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** Seconds of a `Retry-After` header, which may be a number or a date. */
function retryAfter(value: string | null | undefined): number | undefined {
  if (!value?.trim()) return undefined;
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
