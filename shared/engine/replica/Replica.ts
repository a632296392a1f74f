import { setTimeout as sleep } from 'node:timers/promises';
import { isOtherSchema, isResponseTimeout, type Sql, toDatabaseUnavailable } from '../db';
import { type Logger, OccasionalWarning, untilRepaired } from '../log';
import { metrics } from '../metrics';
import type { RedisClient } from '../redis';
import { raiseBeat, shownBeat } from './beats';

/** How old what the replica shows may be. If it is older, the primary is read. */
export const MAX_LAG_MS = 5_000;
/** A replica that has not responded for this long is not read. */
const SILENT_MS = 2_000;
const BEAT_EVERY_MS = 500;
/** A read whose key wrote something that is not shown yet asks for the next beat. Beats are at least this far apart. */
const BEAT_PAUSE_MS = 50;
/** Without a request that could be read at the replica for this long, there are no beats. */
const IDLE_MS = 60_000;
/** Longer than a usable replica can lag, so a write whose mark has expired is shown by it. */
const MARK_MS = 2 * MAX_LAG_MS;
/** Redis reports the age of a mark in whole milliseconds. */
const ROUNDED_MS = 2;

/** A beat that the replica has not shown yet. Times are those of `performance.now()`. */
interface Beat {
  readonly number: number;
  /** Whatever was committed by then was committed before the beat. */
  readonly sentAt: number;
}

export interface ReplicaParts {
  readonly primary: Sql;
  readonly replica: Sql;
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly log: Logger;
  /** Closes the connections to the replica. */
  close(): Promise<void>;
}

/**
 * A replica of MySQL for reads that need not be current, but for what their own API key has written.
 *
 * - What the replica shows: a beat raises a number at the primary, and the replica is asked which number it has. It applies commits in
 *   their order, so with a number it has all that was committed before. No clock of another machine is compared.
 * - What a key has written: after each write the API leaves a mark in Redis before it responds. A read compares the age of its key's mark
 *   with what the replica shows. That is one round trip for each such read and each write. Reports between the API processes would be
 *   cheaper, but a read could arrive before the report. A token that clients send back would be exact, but none of them does. Without
 *   Redis the primary is read.
 */
export class Replica {
  private beats: Beat[] = [];
  /** The replica shows all that was committed until then. */
  private shownUntil = -Infinity;
  private respondedAt = -Infinity;
  private askedAt = -Infinity;
  private marksLostAt = -Infinity;
  private isFollowed = false;
  private hurry = (): void => undefined;
  private readonly closing = new AbortController();
  private readonly unusable: OccasionalWarning;
  /** Statements at the replica; where it cannot run one, the primary does. */
  private readonly sql: Sql;

  constructor(private readonly parts: ReplicaParts) {
    const { log, redis, primary } = parts;
    this.unusable = new OccasionalWarning(log, 'the replica cannot be used: the primary is read', untilRepaired);
    this.sql = {
      rows: (...statement) => this.either((sql) => sql.rows(...statement)),
      rowsWithin: (...statement) => this.either((sql) => sql.rowsWithin(...statement)),
      run: (...statement) => primary.run(...statement),
    };
    // A server of Redis that takes over may lack the newest marks.
    for (const change of ['close', '+node', '-node']) redis.on(change, () => (this.marksLostAt = performance.now()));
  }

  /** Returns the statements for a request of this key that only reads: the replica's, or the primary's. */
  async reader(keyId: number): Promise<Sql> {
    this.follow();
    const usesReplica = this.isUsable() && (await this.showsWritesOf(keyId));
    metrics.replicaRequests.add(usesReplica ? 'replica' : 'primary');
    return usesReplica ? this.sql : this.parts.primary;
  }

  /** Records that a request of this key may have written something. Resolves before its response may be sent; never throws. */
  async wrote(keyId: number): Promise<void> {
    const { redis, log } = this.parts;
    await redis
      .set(this.markOf(keyId), 1, 'PX', MARK_MS)
      .catch((error: unknown) =>
        log.debug({ err: error }, 'a write was not marked: while Redis is down, nothing reads at the replica'),
      );
  }

  /** Seconds by which the replica may be behind; null while it is not known. */
  get lagSeconds(): number | null {
    if (!this.isFollowed || this.shownUntil === -Infinity) return null;
    return (performance.now() - this.shownUntil) / 1_000;
  }

  close(): Promise<void> {
    this.closing.abort();
    return this.parts.close();
  }

  private isUsable(): boolean {
    const now = performance.now();
    return now - this.shownUntil < MAX_LAG_MS && now - this.respondedAt < SILENT_MS;
  }

  private async showsWritesOf(keyId: number): Promise<boolean> {
    const { redis, log } = this.parts;
    if (performance.now() - this.marksLostAt < MARK_MS) return false;
    try {
      const leftMs = await redis.pttl(this.markOf(keyId));
      const wroteAt = leftMs < 0 ? -Infinity : performance.now() - (MARK_MS - leftMs) + ROUNDED_MS;
      if (wroteAt <= this.shownUntil) return true;
      this.hurry();
      return false;
    } catch (error) {
      log.debug({ err: error }, 'the mark of a write could not be read: the primary is read');
      return false;
    }
  }

  private markOf(keyId: number): string {
    return `${this.parts.prefix}:wrote:${keyId}`;
  }

  private async either<T>(read: (sql: Sql) => Promise<T>): Promise<T> {
    const { primary, replica } = this.parts;
    if (!this.isUsable()) return read(primary);
    try {
      return await read(replica);
    } catch (error) {
      if (toDatabaseUnavailable(error)?.reason !== 'unavailable' && !isOtherSchema(error)) throw error;
      // The replica responds to beats: this statement alone takes too long, at the primary too.
      if (isResponseTimeout(error) && this.isUsable()) throw error;
      this.lost(error);
      return read(primary);
    }
  }

  private lost(error: unknown): void {
    this.beats = [];
    this.shownUntil = -Infinity;
    this.unusable.note({ err: error });
  }

  /** Beats as long as requests ask. */
  private follow(): void {
    this.askedAt = performance.now();
    if (this.isFollowed || this.closing.signal.aborted) return;
    this.isFollowed = true;
    void this.beatWhileAsked().finally(() => (this.isFollowed = false));
  }

  private async beatWhileAsked(): Promise<void> {
    const { signal } = this.closing;
    while (performance.now() - this.askedAt < IDLE_MS && !signal.aborted) {
      const hurried = new Promise<void>((resolve) => (this.hurry = resolve));
      await this.beat();
      await this.pause(BEAT_PAUSE_MS);
      await Promise.race([hurried, this.pause(BEAT_EVERY_MS)]);
    }
  }

  /** Resolves after the time, or when the process stops: `sleep` rejects for no other reason. */
  private pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.closing.signal, ref: false }).catch(() => undefined);
  }

  private async beat(): Promise<void> {
    const { primary, replica, log } = this.parts;
    const sentAt = performance.now();
    try {
      this.beats.push({ number: await raiseBeat(primary), sentAt });
    } catch (error) {
      // What the replica shows grows old by itself.
      return log.debug({ err: error }, 'the primary could not be asked for a beat');
    }
    try {
      const newest = await shownBeat(replica);
      const shown = this.beats.filter(({ number }) => number <= newest).length;
      this.shownUntil = this.beats[shown - 1]?.sentAt ?? this.shownUntil;
      this.beats = this.beats.slice(shown).filter((beat) => sentAt - beat.sentAt < MAX_LAG_MS);
      this.respondedAt = performance.now();
      if (this.isUsable() && this.unusable.end()) log.info('the replica is read again');
    } catch (error) {
      if (!this.closing.signal.aborted) this.lost(error);
    }
  }
}
