import { createServer } from 'node:http';
import { listenOnLoopback } from '../../../dev/servers/listenOnLoopback';
import type { Attacker } from '../Attack';

/**
 * Runs `attack` with the address of a webhook receiver that accepts each webhook after a delay, and counts it as
 * `delivered`.
 */
export async function withReceiver(
  attacker: Attacker,
  respondsAfterMs: number,
  attack: (url: string) => Promise<void>,
): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume();
    attacker.count('delivered');
    setTimeout(() => response.writeHead(204).end(), respondsAfterMs).unref();
  });
  const { url, close } = await listenOnLoopback(receiver);
  await attack(url).finally(close);
}

/** A row without a delivery to the attacker proves nothing. */
export function deliveredOrProblem({ counts }: { counts: Readonly<Record<string, number>> }): string | null {
  return (counts['delivered'] ?? 0) > 0 ? null : 'nothing was delivered to the attacker';
}
