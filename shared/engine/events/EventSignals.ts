import type { Logger } from '../log';
import { disconnectRedis, type RedisClient, type RedisConnections } from '../redis';

/** The newest number of each company that has new events in its feed. */
export type NewestEvents = ReadonlyMap<number, number>;

/** The first of many transactions in this time is reported immediately, the others together at its end. */
const PAUSE_MS = 10;

/**
 * Reports between processes, through Redis, that there are events to number, and which feeds have new events. A report only saves time.
 * Reports are lost while Redis is unreachable, so every receiver also reads MySQL regularly.
 */
export class EventSignals {
  private pause: NodeJS.Timeout | undefined;
  private isPending = false;
  private readonly subscribers: RedisClient[] = [];

  constructor(
    private readonly publisher: RedisClient,
    private readonly connections: RedisConnections,
    private readonly prefix: string,
    private readonly log: Logger,
  ) {}

  /** Reports that events were committed. Never throws, and does not wait for Redis. */
  recorded(): void {
    if (this.pause !== undefined) {
      this.isPending = true;
      return;
    }
    this.publish('recorded', '');
    this.pause = setTimeout(() => {
      this.pause = undefined;
      if (!this.isPending) return;
      this.isPending = false;
      this.recorded();
    }, PAUSE_MS).unref();
  }

  /** Reports that these events have their numbers and are visible. Never throws. */
  numbered(newest: NewestEvents): void {
    this.publish('numbered', JSON.stringify([...newest]));
  }

  /** Calls `listener` when another process has {@link recorded} events. */
  onRecorded(listener: () => void): void {
    this.subscribe('recorded', listener);
  }

  /** Calls `listener` when a process has {@link numbered} events. */
  onNumbered(listener: (newest: NewestEvents) => void): void {
    this.subscribe('numbered', (message) => listener(new Map(JSON.parse(message) as [number, number][])));
  }

  close(): void {
    clearTimeout(this.pause);
    this.subscribers.splice(0).forEach(disconnectRedis);
  }

  private publish(channel: string, message: string): void {
    if (this.publisher.status !== 'ready') return;
    this.publisher
      .publish(this.channel(channel), message)
      .catch((error: unknown) => this.log.debug({ err: error }, 'a report of events was lost'));
  }

  private subscribe(channel: string, listener: (message: string) => void): void {
    const subscriber = this.connections.connect('subscriber');
    this.subscribers.push(subscriber);
    subscriber.on('message', (_channel: string, message: string) => listener(message));
    // Kept by the client until it is connected, and repeated after each new connection.
    subscriber
      .subscribe(this.channel(channel))
      .catch((error: unknown) => this.log.warn({ err: error }, 'reports of events cannot be received'));
  }

  private channel(name: string): string {
    return `${this.prefix}:events:${name}`;
  }
}
