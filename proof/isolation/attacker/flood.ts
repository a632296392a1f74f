import type { HttpCall } from '../../installation/HttpClient';
import type { Attack, Attacker } from '../Attack';
import { rawSocket, untilClosed } from './rawSocket';
import { repeat, untilAborted } from './repeat';

type Facts = Omit<Attack, 'run'> & { readonly connections: number };

/** An attack that sends one request after another on each connection. `calls` prepares it and returns the request of each turn. */
export function flood({
  connections,
  calls,
  ...attack
}: Facts & { readonly calls: (attacker: Attacker) => CallOf | Promise<CallOf> }): Attack {
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
