import { readRedisUrl, type RedisAddress } from '../../../config/redisUrl';
import { type Logger, OccasionalWarning, untilRepaired } from '../log';
import { commonOptions, openClient, type ClientOptions, type RedisClient } from './openClient';
import { PrimaryWatch } from './PrimaryWatch';
import { replyOf } from './replies';

/**
 * - `producer`: commands fail immediately when Redis is unreachable, and none is left to run later (the row in MySQL waits).
 * - `blocking`: for BullMQ's workers and event readers, which wait and reconnect without end.
 * - `subscriber`: receives reports, perhaps none for hours, and subscribes again after it has reconnected.
 */
export type ConnectionKind = 'producer' | 'blocking' | 'subscriber';

/**
 * `socketTimeout` replaces a connection on which a command has had no reply for that long: a firewall may drop a connection
 * without notice. BullMQ's blocking commands get a reply within 10 seconds.
 */
const kinds: Record<ConnectionKind, Omit<ClientOptions, 'retryStrategy'>> = {
  producer: {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 3_000,
    socketTimeout: 3_000,
    repeats: 5,
  },
  blocking: { maxRetriesPerRequest: null, socketTimeout: 13_000, repeats: Infinity },
  subscriber: { maxRetriesPerRequest: null, repeats: Infinity },
};

const RECONNECT_MS = 1_000;
const timeouts = { connectTimeout: 3_000, keepAlive: 5_000 };

/** Whether a connection, and the copies that BullMQ makes of it, may reconnect. */
const lives = new WeakMap<RedisClient, { ended: boolean }>();

/**
 * Opens the connections of one process to Redis. Each tries to reconnect every second, without a backoff, so that an outage ends
 * soon after Redis is reachable again. Their errors are logged together, at growing intervals.
 */
export class RedisConnections {
  private readonly address: RedisAddress;
  private readonly unreachable = new OccasionalWarning(this.log, 'Redis cannot be reached', untilRepaired);
  private readonly refused = new OccasionalWarning(this.log, 'Redis refuses what the queues need', untilRepaired);
  private readonly down = new Set<RedisClient>();
  /** Null where no Sentinels are configured. */
  private readonly primaryWatch: PrimaryWatch | null = null;

  constructor(
    redisUrl: string,
    private readonly log: Logger,
  ) {
    this.address = readRedisUrl(redisUrl);
    const { hosts, sentinel } = this.address;
    if (sentinel === null) return;
    const untold = new OccasionalWarning(log, 'a Sentinel cannot tell of another primary', untilRepaired);
    const common = commonOptions({ ...this.address, account: sentinel.account });
    const options = { ...timeouts, ...common, retryStrategy: () => RECONNECT_MS };
    this.primaryWatch = new PrimaryWatch(hosts, sentinel.name, options, ({ host, port }, error) =>
      untold.note({ sentinel: `${host}:${port}`, err: error.message }),
    );
  }

  connect(kind: ConnectionKind): RedisClient {
    const life = { ended: false };
    const retryStrategy = (): number | null => (life.ended ? null : RECONNECT_MS);
    const connector = this.primaryWatch && { Connector: this.primaryWatch.Connector };
    const redis = openClient(this.address, { ...kinds[kind], ...timeouts, retryStrategy, ...connector });
    lives.set(redis, life);
    redis.on('error', (error: Error & { command?: { name?: string } }) => {
      this.down.add(redis);
      this.report(error, { kind });
      // The client would continue in database 0, which another program may use.
      if (error.command?.name === 'select') redis.disconnect(true);
    });
    redis.on('ready', () => {
      this.down.delete(redis);
      if (this.down.size > 0) return;
      const warned = [this.unreachable.end(), this.refused.end()];
      if (warned.includes(true)) this.log.info('Redis is back');
    });
    redis.on('end', () => this.down.delete(redis));
    return redis;
  }

  /** Ends what is shared by the connections, which each end by {@link disconnectRedis}. */
  close(): void {
    this.primaryWatch?.close();
  }

  /** Logs an error of a connection, or of BullMQ on one. `details` identify the connection. */
  report(error: Error, details: object): void {
    const reply = replyOf(error);
    if (reply === null) this.unreachable.note({ ...details, err: error.message });
    else this.refused.note({ ...details, err: reply });
  }
}

/** Ends a connection of {@link RedisConnections} for good, also while it waits to reconnect. */
export function disconnectRedis(redis: RedisClient): void {
  const life = lives.get(redis);
  if (life !== undefined) life.ended = true;
  redis.disconnect();
}
