import { type Bench, connections } from './Row';

interface Call {
  method?: 'GET' | 'POST';
  body?: object;
  /** The key; absent for the one of the benchmark's company. */
  token?: string;
  /** The expected status; 200 when absent. */
  status?: number;
}

/** Sends a request to the API. @throws {Error} for a response of another status. */
export async function callApi({ installation }: Bench, path: string, call: Call = {}): Promise<Response> {
  const { method = 'GET', body, token = installation.seeded.token, status = 200 } = call;
  const response = await fetch(installation.apiUrl + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.status !== status) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** Sends JSON to a server. @throws {Error} unless it succeeds. */
export async function sendJson(
  url: string,
  method: 'POST' | 'PUT',
  body: object,
  headers: Record<string, string> = {},
): Promise<void> {
  const response = await fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** Calls `work` for each item, for as many at the same time as the benchmark has connections. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const workOnNext = async (): Promise<void> => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: connections }, workOnNext));
}
