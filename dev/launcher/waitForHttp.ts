import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves when `url` responds with a 2xx status.
 * @throws when it does not within `withinMs`, with the last response.
 */
export async function waitForHttp(url: string, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const outcome = await ask(url);
    if (outcome === undefined) return;
    if (Date.now() > deadline) throw new Error(`${url} is not ready: ${outcome}`);
    await sleep(50);
  }
}

async function ask(url: string): Promise<string | undefined> {
  try {
    // A kept connection would delay the end of the server.
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000), headers: { Connection: 'close' } });
    const body = await response.text();
    return response.ok ? undefined : `${response.status} ${body.slice(0, 500)}`;
  } catch (error) {
    return String(error);
  }
}
