import { createClient, createConfig, type Client } from '../generated/client/index.ts';
import { brokenOff, CrsEvalError } from './problems.ts';
import { retrying, type Hook, type Retries } from './retries.ts';

export const VERSION = '2.0.0';

export interface Connection {
  /** Else `CRS_EVAL_URL` of the environment, else a service on this machine. */
  url?: string;
  /** Else `CRS_EVAL_API_KEY`. */
  apiKey?: string;
  retries?: Retries;
  /** Seconds for a request with all its attempts. */
  timeout?: number;
  /** Called after each attempt; never with a body or a key. */
  hook?: Hook;
  fetch?: typeof globalThis.fetch;
}

type Environment = { env?: Record<string, string | undefined>; versions?: { node?: string } };

/** Empty in a browser. */
const { env = {}, versions = {} } = (globalThis as { process?: Environment }).process ?? {};

const connections = new WeakMap<Client, Connection>();

/**
 * A client for every generated function: `score({ client, body: { log } })`. It retries. What is thrown with
 * `throwOnError: true`, and what stands in `error` without it, is a `CrsEvalError` or `UnreachableError`.
 */
export function connect(connection: Connection = {}): Client {
  const { url, apiKey, retries, timeout, hook, fetch } = connection;
  const client = createClient(
    createConfig({
      baseUrl: url ?? (env.CRS_EVAL_URL || 'http://127.0.0.1:8000'),
      fetch: retrying(fetch ?? globalThis.fetch, retries, { hook, timeout }),
      // A browser takes the header for a wish of the page, and asks the service first whether it may.
      ...(versions.node ? { headers: { 'User-Agent': `crs-eval-client-typescript/${VERSION}` } } : {}),
      auth: apiKey ?? (env.CRS_EVAL_API_KEY || undefined),
    }),
  );
  client.interceptors.error.use((error: unknown, response: Response | undefined) => {
    if (response === undefined) return error;
    return error instanceof Error ? brokenOff(error) : CrsEvalError.of(response.status, error);
  });
  connections.set(client, connection);
  return client;
}

/** The same client with other retries or another time limit: for one request. */
export function withOptions(client: Client, options: Pick<Connection, 'retries' | 'timeout' | 'hook'>): Client {
  return connect({ ...connections.get(client), ...options });
}

/** Posts, and gives the body of the answer as it comes. Throws what `connect` says. */
export async function post(
  client: Client,
  url: string,
  body: string,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<ReadableStream<BufferSource>> {
  const { data } = await client.post<{ 200: ReadableStream<BufferSource> }, unknown, true>({
    url, body, headers, signal, bodySerializer: null, parseAs: 'stream', throwOnError: true,
    security: [{ scheme: 'bearer', type: 'http' }],
  });
  return data;
}
