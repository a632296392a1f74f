import type { Socket } from 'node:net';
import type { WorkMeter } from '../fair';

/** The work whose statements a connection runs now. */
const meters = new WeakMap<object, User>();

interface User {
  meter: WorkMeter | null;
  /** When it sent a statement, by `performance.now()`. */
  sentAt: number;
}

/** Lets the meter of whoever uses the connection count what the event loop runs for its statements: sending and reading them. */
export function meterConnection(connection: { readonly stream: Socket }): void {
  const { stream } = connection;
  const user: User = { meter: null, sentAt: 0 };
  meters.set(connection, user);
  // Around the driver's own listener, which reads the rows and ends the statement.
  stream.prependListener('data', () => user.meter?.resume(performance.now() - user.sentAt));
  stream.on('data', () => {
    const { meter } = user;
    if (meter === null) return;
    meter.lap();
    // After whatever waited for the rows, which runs in microtasks.
    setImmediate(() => meter.pause());
  });
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (...args: unknown[]): boolean => {
    user.meter?.lap();
    user.sentAt = performance.now();
    return write(...args);
  };
}

/** Returns the meter of the work whose statements the connection runs; null if there is none. */
export const meterOf = (connection: object): WorkMeter | null => meters.get(connection)?.meter ?? null;

/** From now on the connection runs statements of this work; null: of none that is measured. */
export function useMeter(connection: object, meter: WorkMeter | null): void {
  const user = meters.get(connection);
  if (user !== undefined) user.meter = meter;
}
