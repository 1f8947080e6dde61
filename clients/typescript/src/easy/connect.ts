import { createClient, createConfig, type Client } from '../generated/client/index.ts';
import { retrying, type Retries } from './retries.ts';

export interface Connection {
  url?: string;
  apiKey?: string;
  retries?: Retries;
  fetch?: typeof globalThis.fetch;
}

/** A client for every generated function: `scoreLog({ client, body: { log } })`. It retries. */
export function connect({ url = 'http://127.0.0.1:8000', apiKey, retries, fetch }: Connection = {}): Client {
  return createClient(
    createConfig({
      baseUrl: url,
      fetch: retrying(fetch ?? globalThis.fetch, retries),
      ...(apiKey === undefined ? {} : { auth: apiKey }),
    }),
  );
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
  const key: Record<string, string> = typeof config.auth === 'string' ? { Authorization: `Bearer ${config.auth}` } : {};
  return send(`${config.baseUrl ?? ''}${path}`, {
    method: 'POST',
    body,
    headers: { ...key, ...headers },
    ...(signal === undefined ? {} : { signal }),
  });
}
