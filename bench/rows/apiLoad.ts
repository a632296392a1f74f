import type { Baseline } from '../limits';
import type { LoadTask } from '../load/LoadTask';
import { connections, type Bench, type Side, type Sides } from './Row';

/** Differences from a `GET` with the company's key and a response of 200 and JSON. */
export type Requests = Pick<LoadTask, 'paths'> & Partial<Omit<LoadTask, 'paths' | 'url' | 'seconds'>>;

/**
 * Returns the same load on the project's API and on the baseline of this name.
 * @param variables of the baseline, besides its database and company
 */
export async function besideBare(
  bench: Bench,
  name: Baseline,
  requests: Requests,
  variables: Record<string, string> = {},
): Promise<Sides> {
  const url = await bench.installation.startServer(name, variables);
  return { project: apiLoad(bench, requests), limit: bareLoad(bench, url, requests) };
}

/** Load on the project's API. */
export function apiLoad(bench: Pick<Bench, 'installation' | 'load'>, requests: Requests): Side {
  const { apiUrl, seeded } = bench.installation;
  return loadOn(bench, apiUrl, { headers: { Authorization: `Bearer ${seeded.token}` }, ...requests });
}

/** The same load on another server, without a key. */
export function bareLoad(bench: Bench, url: string, requests: Requests): Side {
  return loadOn(bench, url, requests);
}

function loadOn({ load }: Pick<Bench, 'load'>, url: string, requests: Requests): Side {
  const defaults = { once: false, connections, headers: {}, method: 'GET', bodies: [], expected: json(200) } as const;
  return (seconds) => load.run({ ...defaults, ...requests, url, seconds });
}

export const json = (status: number) => ({ status, contentType: 'application/json' });
export const html = { status: 200, contentType: 'text/html' };
export const pdf = { status: 200, contentType: 'application/pdf' };
