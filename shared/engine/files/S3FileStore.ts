import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { _Object, GetObjectCommandOutput, S3 } from '@aws-sdk/client-s3';
import { LRUCache } from 'lru-cache';
import type { S3Config } from '../../../config/files';
import { ServiceUnavailable } from '../errors';
import { SlotPool } from '../fair';
import {
  checkKey,
  isFileKey,
  TOUCH_AFTER_MS,
  unusedFiles,
  type FileStore,
  type FoundFile,
  type OpenFile,
} from './FileStore';
import { openS3 } from './openS3';

const TIMEOUT_MS = 20_000;
const MAX_TRIES = 3;
/** The most objects of one `DeleteObjects` request. */
const BATCH = 1_000;
const CONTENT_RANGE = /^bytes (\d+)-\d+\/(\d+)$/;
/** The store's response to a range that begins after the last byte. */
const PAST_END = 'past the end';

type FoundObject = GetObjectCommandOutput & { Body: object };

/**
 * A bucket of S3 or of a compatible store. Every error of the store is a {@link ServiceUnavailable}, including rejected
 * credentials and a missing bucket. Its message has the store's own error code.
 */
export class S3FileStore implements FileStore {
  /** The SDK signs, sends and parses: that took 2 ms of a processor, which count twice. */
  readonly callMs = 4;
  private client: S3 | undefined;
  /** When files were last modified (ms), by key. Saves {@link touch} a request after a read. */
  private readonly modified = new LRUCache<string, number>({ max: 10_000 });
  /** The copies of {@link touch} that run at the same time: each may hold a whole file. */
  private readonly copying = new SlotPool([1, 2]);

  /** `timeoutMs` is the time-out of one request. */
  constructor(
    private readonly config: S3Config,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  get place(): string {
    const { bucket, prefix, endpoint } = this.config;
    return `the bucket ${bucket}${prefix && `, under ${prefix}`}${endpoint && `, at ${endpoint}`}`;
  }

  async create(): Promise<void> {
    // The operator creates the bucket.
  }

  put(key: string, bytes: Buffer): Promise<void> {
    return this.write(key, bytes, bytes.length);
  }

  async putFile(key: string, path: string): Promise<void> {
    checkKey(key);
    const { size } = await stat(path);
    // The SDK does not retry a stream, so each attempt opens a new one.
    for (let tries = 1; ; tries++) {
      // Not by the stream: the SDK listens to none of its errors, and an error without a listener ends the process.
      const stream = (await responseOf(open(path))).createReadStream();
      const unreadable = new AbortController();
      stream.once('error', (error) => unreadable.abort(error));
      try {
        return await this.write(key, stream, size, unreadable.signal);
      } catch (error) {
        if (tries === MAX_TRIES || !isPassing(error)) throw error;
        await sleep(Math.random() * 100 * 2 ** tries);
      } finally {
        stream.destroy();
      }
    }
  }

  async has(key: string): Promise<boolean> {
    return (await this.openAtEnd(key)) !== null;
  }

  async get(key: string): Promise<Buffer | null> {
    const found = await this.read(key);
    if (found === null || found === PAST_END) return null;
    const { buffer, byteOffset, length } = await responseOf(found.Body.transformToByteArray());
    // Without a copy.
    return Buffer.from(buffer, byteOffset, length);
  }

  async open(key: string, first = 0): Promise<OpenFile | null> {
    // `bytes=-50` are the last 50 bytes.
    const found = await this.read(key, first === 0 ? undefined : `bytes=${first < 0 ? first : `${first}-`}`);
    if (found === PAST_END) return this.openAtEnd(key);
    if (found === null) return null;
    const content = found.Body as unknown as Readable;
    // A store that does not support ranges sends the whole file, without `Content-Range`.
    const [, from, size] = CONTENT_RANGE.exec(found.ContentRange ?? '') ?? [];
    return { content, size: Number(size ?? found.ContentLength ?? 0), first: Number(from ?? 0) };
  }

  async touch(key: string, now: Date): Promise<void> {
    const at = this.at(key);
    const modified = this.modified.get(key) ?? this.note(key, (await this.ask((s3) => s3.headObject(at))).LastModified);
    if (now.getTime() - modified <= TOUCH_AFTER_MS) return;
    // Before the copy: of a thousand readers at the same time one makes it.
    this.note(key, now);
    const slot = await this.copying.take();
    try {
      await this.copyOnto(key, at);
      this.note(key, now);
    } catch (error) {
      this.modified.delete(key);
      throw error;
    } finally {
      this.copying.giveBack(slot);
    }
  }

  private async copyOnto(key: string, at: { Bucket: string; Key: string }): Promise<void> {
    // Only a copy onto itself renews an object's time, and S3 allows that only when it replaces the metadata.
    const CopySource = `${at.Bucket}/${at.Key}`;
    const copied = await this.ask((s3) =>
      s3.copyObject({ ...at, CopySource, MetadataDirective: 'REPLACE' }).catch(nullIfNotImplemented),
    );
    // Ceph copies no object that it encrypts.
    const bytes = copied === null ? await this.get(key) : null;
    if (bytes !== null) await this.put(key, bytes);
  }

  async remove(key: string): Promise<void> {
    const at = this.at(key);
    await this.ask((s3) => s3.deleteObject(at));
  }

  async removeUnused(prefix: string, before: Date, folderBytes?: number): Promise<number> {
    const { Key } = this.at(prefix);
    let removed = 0;
    // Names come in their order, so the files of a folder come together. Holds those of one folder.
    let files: FoundFile[] = [];
    const endFolder = async (): Promise<void> => {
      removed += await this.removeAll(await unusedFiles(files, before, folderBytes));
      files = [];
    };
    for await (const page of this.pages(`${Key}/`)) {
      for (const { Key: name = '', Size: size = 0, LastModified: usedAt } of page) {
        if (usedAt === undefined) continue;
        const last = files[files.length - 1];
        if (last !== undefined && folderOf(last.name) !== folderOf(name)) await endFolder();
        files.push({ name, size, usedAt });
      }
    }
    await endFolder();
    return removed;
  }

  async *keys(): AsyncGenerator<string> {
    const { prefix } = this.config;
    for await (const page of this.pages(prefix)) {
      for (const { Key = '' } of page) {
        const key = Key.slice(prefix.length);
        if (isFileKey(key)) yield key;
      }
    }
  }

  private async removeAll(files: readonly FoundFile[]): Promise<number> {
    const Bucket = this.config.bucket;
    for (let from = 0; from < files.length; from += BATCH) {
      const Objects = files.slice(from, from + BATCH).map(({ name }) => ({ Key: name }));
      const { Errors = [] } = await this.ask((s3) => s3.deleteObjects({ Bucket, Delete: { Objects, Quiet: true } }));
      if (Errors[0]) throw refused(Errors[0].Code ?? 'without a code', Errors[0]);
    }
    return files.length;
  }

  /** Lists the objects whose names begin with `Prefix`, {@link BATCH} at a time. */
  private async *pages(Prefix: string): AsyncGenerator<_Object[]> {
    const Bucket = this.config.bucket;
    let ContinuationToken: string | undefined;
    do {
      const next = ContinuationToken && { ContinuationToken };
      const page = await this.ask((s3) => s3.listObjectsV2({ Bucket, Prefix, MaxKeys: BATCH, ...next }));
      yield page.Contents ?? [];
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  private async write(key: string, body: Buffer | Readable, size: number, abortSignal?: AbortSignal): Promise<void> {
    const at = this.at(key);
    await this.ask((s3) => s3.putObject({ ...at, Body: body, ContentLength: size }, { abortSignal }));
    this.modified.delete(key);
  }

  private async openAtEnd(key: string): Promise<OpenFile | null> {
    const at = this.at(key);
    const found = await this.ask((s3) => s3.headObject(at).catch(nullIfAbsent));
    const size = found?.ContentLength ?? 0;
    return found && { content: Buffer.alloc(0), size, first: size };
  }

  private async read(key: string, range?: string): Promise<FoundObject | typeof PAST_END | null> {
    const object = { ...this.at(key), ...(range && { Range: range }) };
    const found = await this.ask((s3) => s3.getObject(object).catch(absentOrPastEnd));
    if (found === PAST_END) return PAST_END;
    if (found?.Body === undefined) return null;
    this.note(key, found.LastModified);
    return { ...found, Body: found.Body };
  }

  /** Notes when a file was modified, unless it is known to be later: a response may be older than a copy. Returns the latest time. */
  private note(key: string, modified = new Date(0)): number {
    const latest = Math.max(modified.getTime(), this.modified.get(key) ?? 0);
    this.modified.set(key, latest);
    return latest;
  }

  /** @throws {ServiceUnavailable} of every error of the request. */
  private ask<T>(request: (s3: S3) => Promise<T>): Promise<T> {
    return responseOf(Promise.resolve().then(() => request((this.client ??= openS3(this.config, this.timeoutMs)))));
  }

  /** @throws {Error} for an invalid key. */
  private at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.config.bucket, Key: this.config.prefix + checkKey(key) };
  }
}

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/'));

/** Returns null for a missing object; rethrows any other error, such as a missing bucket. */
function nullIfAbsent(error: unknown): null {
  const { name } = error as Error;
  if (name === 'NoSuchKey' || name === 'NotFound') return null;
  throw error;
}

function nullIfNotImplemented(error: unknown): null {
  if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 501) return null;
  throw error;
}

function absentOrPastEnd(error: unknown): null | typeof PAST_END {
  return (error as Error).name === 'InvalidRange' ? PAST_END : nullIfAbsent(error);
}

async function responseOf<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    const { name, $metadata } = error as Partial<Error & { $metadata: { httpStatusCode?: number } }>;
    const status = $metadata?.httpStatusCode;
    throw status === undefined
      ? new ServiceUnavailable('the file store', error)
      : refused(name ?? `HTTP ${status}`, error);
  }
}

/** Names the store's error, such as `NoSuchBucket`, since not every store sends a message. */
function refused(name: string, cause: unknown): ServiceUnavailable {
  return new ServiceUnavailable('the file store', cause, `responds with the error ${name}`);
}

/** Tests whether a retry may help: after no response, 5xx, 429 or 408. */
function isPassing(error: unknown): boolean {
  const { cause } = error as { cause?: { $metadata?: { httpStatusCode?: number } } };
  const status = cause?.$metadata?.httpStatusCode ?? 500;
  return status >= 500 || status === 429 || status === 408;
}
