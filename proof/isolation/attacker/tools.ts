import { setTimeout as sleep } from 'node:timers/promises';
import { setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createServer } from 'node:http';
import { type HttpCall, jsonOf } from '../../installation/HttpClient';
import type { Attack, Attacker } from '../Attack';
import { listenOnLoopback } from '../../../dev/servers/listenOnLoopback';

/**
 * Creates a record of the attacker's company. @throws {Error} when it is refused, since the attack would prove nothing.
 */
export async function create(attacker: Attacker, path: string, body: unknown): Promise<{ id: number }> {
  const reply = await attacker.send({ path, method: 'POST', body });
  if (reply.status !== 201) throw new Error(`${path}: ${reply.status} ${reply.body.toString().slice(0, 200)}`);
  return jsonOf(reply);
}

/**
 * Repeats `once` until the signal is aborted, `connections` at the same time. A failed connection is counted and retried after a
 * short delay.
 */
export async function repeat(
  attacker: Attacker,
  connections: number,
  signal: AbortSignal,
  once: (turn: number) => Promise<unknown>,
): Promise<void> {
  let turn = 0;
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await once(turn++);
      } catch (error) {
        if (signal.aborted) return;
        attacker.count((error as NodeJS.ErrnoException).code ?? (error as Error).name);
        await sleep(20);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Opens a connection, writes to it, and counts its outcome. Reads nothing when `reads` is false. By default its address is the victim's, too. */
export function rawSocket(attacker: Attacker, text: string | Buffer, reads = true, localAddress?: string): Socket {
  const { hostname, port } = new URL(attacker.baseUrl);
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress !== undefined && { localAddress }) });
  socket.on('connect', () => {
    attacker.count('connected');
    socket.write(text);
  });
  socket.on('error', (error: NodeJS.ErrnoException) => attacker.count(error.code ?? error.message));
  if (reads) {
    socket.once('data', (chunk: Buffer) => attacker.count(chunk.subarray(9, 12).toString('latin1')));
    socket.resume();
  }
  return socket;
}

/** The head of a request with the attacker's key. */
export function requestHead({ company }: Attacker, line: string, headers: readonly string[] = []): string {
  return [`${line} HTTP/1.1`, 'Host: attacker', `Authorization: Bearer ${company.token}`, ...headers, '', ''].join(
    '\r\n',
  );
}

/** Resolves when the server has closed the connection, or the attack is over. */
export function untilClosed(socket: Socket, signal: AbortSignal): Promise<void> {
  const end = (): void => void socket.destroy();
  // One for each connection.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', end, { once: true });
  return new Promise((resolve) => {
    socket.once('close', () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
}

type Facts = Omit<Attack, 'run'> & { readonly connections: number };

/** What {@link flood} sends: `calls` prepares it and returns the request of each turn. */
export type Flood = Facts & { readonly calls: (attacker: Attacker) => CallOf | Promise<CallOf> };

/** An attack that sends one request after another on each connection. */
export function flood({ connections, calls, ...attack }: Flood): Attack {
  return {
    ...attack,
    run: async (attacker, signal) => {
      const callOf = await calls(attacker);
      await repeat(attacker, connections, signal, (turn) => attacker.send(callOf(turn)));
    },
  };
}

type CallOf = (turn: number) => HttpCall;

/** An attack that sends bytes on one new connection after another, and waits until the server closes each. */
export function rawFlood({
  connections,
  bytes,
  ...attack
}: Facts & { readonly bytes: (attacker: Attacker) => Buffer | (() => Buffer) }): Attack {
  return {
    ...attack,
    run: (attacker, signal) => {
      const given = bytes(attacker);
      const next = typeof given === 'function' ? given : () => given;
      return repeat(attacker, connections, signal, () => untilClosed(rawSocket(attacker, next()), signal));
    },
  };
}

/** An attack that opens connections and keeps them. */
export function occupation({
  connections,
  open,
  ...attack
}: Facts & { readonly open: (attacker: Attacker, index: number) => ReturnType<typeof rawSocket> }): Attack {
  return {
    ...attack,
    run: async (attacker, signal) => {
      const sockets = Array.from({ length: connections }, (_, index) => open(attacker, index));
      await untilAborted(signal);
      sockets.forEach((socket) => socket.destroy());
    },
  };
}

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
