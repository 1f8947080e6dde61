import { createClient, createConfig, type Client } from '../generated/client/index.ts';
import { CrsEvalError } from './problems.ts';
import { retrying, type Hook, type Retries } from './retries.ts';

export const VERSION = '1.0.0';

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

const connections = new WeakMap<Client, Connection>();

/**
 * A client for every generated function: `scoreLog({ client, body: { log } })`. It retries. What is thrown with
 * `throwOnError: true`, and what stands in `error` without it, is a `CrsEvalError` or `UnreachableError`.
 */
export function connect(connection: Connection = {}): Client {
  const { url, apiKey, retries, timeout, hook, fetch } = connection;
  const key = apiKey ?? variable('CRS_EVAL_API_KEY');
  const client = createClient(
    createConfig({
      baseUrl: url ?? variable('CRS_EVAL_URL') ?? 'http://127.0.0.1:8000',
      fetch: retrying(fetch ?? globalThis.fetch, retries, { hook, timeout }),
      // A browser takes the header for a wish of the page, and asks the service first whether it may.
      ...(inNode() ? { headers: { 'User-Agent': `crs-eval-client-typescript/${VERSION}` } } : {}),
      ...(key === undefined ? {} : { auth: key }),
    }),
  );
  client.interceptors.error.use((error: unknown, response: Response | undefined) =>
    response === undefined || error instanceof Error ? error : CrsEvalError.from(response, error),
  );
  connections.set(client, connection);
  return client;
}

/** The same client with other retries or another time limit: for one request. */
export function withOptions(client: Client, options: Pick<Connection, 'retries' | 'timeout' | 'hook'>): Client {
  return connect({ ...connections.get(client), ...options });
}

/** Posts and gives the response with its body unread; anything but success is the caller's to read. */
export async function post(
  client: Client,
  path: string,
  body: string,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Response> {
  const config = client.getConfig();
  const send = config.fetch ?? globalThis.fetch;
  const sent = new Headers(config.headers as HeadersInit | undefined);
  if (typeof config.auth === 'string') sent.set('Authorization', `Bearer ${config.auth}`);
  for (const [name, value] of Object.entries(headers)) sent.set(name, value);
  return send(`${config.baseUrl ?? ''}${path}`, {
    method: 'POST',
    body,
    headers: sent,
    ...(signal === undefined ? {} : { signal }),
  });
}

type Surroundings = { process?: { env?: Record<string, string | undefined>; versions?: { node?: string } } };

function variable(name: string): string | undefined {
  return (globalThis as Surroundings).process?.env?.[name] || undefined;
}

function inNode(): boolean {
  return (globalThis as Surroundings).process?.versions?.node !== undefined;
}
