import type { IncomingHttpHeaders } from 'node:http';
import autocannon, { type Request, type Result } from 'autocannon';
import { type Completion, type Sample, sampleOf } from '../measuring/Sample';
import type { LoadTask } from './LoadTask';

type OnResponse = Exclude<NonNullable<Request['onResponse']>, string>;

/**
 * Sends the requests for the given time and checks the status and content type of every response.
 * @throws {Error} for an unexpected response, or none.
 */
export async function driveLoad(task: LoadTask): Promise<Sample> {
  const completions: Completion[] = [];
  let failure: string | null = null;
  let sent = 0;
  const setupRequest = (request: Request): Request => {
    const path = task.once && sent >= task.paths.length ? undefined : task.paths[sent % task.paths.length];
    if (path === undefined) failure ??= 'the requests that must not be repeated ran out';
    const body = task.bodies[sent % task.bodies.length];
    sent += 1;
    const from = task.manyNetworks === true && { headers: { ...request.headers, 'X-Forwarded-For': networkOf(sent) } };
    return { ...request, path: path ?? '/', ...(body !== undefined && { body }), ...from };
  };
  const onResponse: OnResponse = (status, body, _context, headers = {}) => {
    const type = headerOf(headers, 'content-type');
    if (status === task.expected.status && type.startsWith(task.expected.contentType)) return;
    failure ??= `${task.method} ${task.url} got the response ${status} ${type}: ${body.slice(0, 500)}`;
  };
  const { url, connections, seconds, method, headers } = task;
  const request: Request = { method, headers: { ...headers, ...jsonHeader(task) }, setupRequest, onResponse };
  const { errors, timeouts } = await new Promise<Result>((resolve, reject) => {
    const options = { url, connections, duration: seconds, sampleInt: 100, timeout: 30, requests: [request] };
    const run = autocannon(options, (error: Error | null, result) => (error ? reject(error) : resolve(result)));
    run.on('response', (_client, _status, _bytes, tookMs) => completions.push({ at: performance.now(), tookMs }));
  });
  if (errors + timeouts > 0) failure ??= `${errors} connection errors and ${timeouts} time-outs at ${url}`;
  if (failure !== null) throw new Error(failure);
  return sampleOf(completions, connections);
}

const networkOf = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

function jsonHeader({ bodies }: LoadTask): Record<string, string> {
  return bodies.length > 0 ? { 'Content-Type': 'application/json' } : {};
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  for (const [key, value] of Object.entries(headers)) if (key.toLowerCase() === name) return String(value);
  return '';
}
