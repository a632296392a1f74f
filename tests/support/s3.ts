import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { isSigned } from './s3Signature';

const keyId = 'key-of-the-tests';
const secret = 'secret/of+the=tests';
const bucket = 'invoicing';
const SLICE = 64 * 1024;

/** What the next matching requests meet. */
export interface S3Fault {
  /** Of method and path: `GET /bucket/key`. */
  match: RegExp;
  times: number;
  /** No response at all; that status; the connection ends after so many bytes; after so many bytes nothing, until. */
  does: 'hang' | number | { cutAfter: number } | { pauseAfter: number; until: Promise<void> };
}

interface StoredObject {
  bytes: Buffer;
  modified: Date;
}

/**
 * An S3 server of its own on a free port, with one bucket in memory: objects put, copied, read, listed page by page and
 * deleted one by one or many at once. It refuses what is not signed, as S3 does, and a deletion of many without its MD5, as
 * older compatible stores do.
 */
export class LocalS3 {
  readonly objects = new Map<string, StoredObject>();
  /** `PUT /bucket/key`, in the order in which they came. */
  readonly requests: string[] = [];
  headers: IncomingMessage['headers'] = {};
  private readonly faults: S3Fault[] = [];
  private readonly server = createServer((request, response) => {
    this.respond(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<LocalS3> {
    const s3 = new LocalS3();
    s3.server.listen(0, '127.0.0.1');
    await once(s3.server, 'listening');
    return s3;
  }

  /** Environment variables that choose this store. */
  get env(): Record<string, string> {
    return {
      FILES_STORE: 's3',
      S3_BUCKET: bucket,
      S3_ENDPOINT: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      S3_FORCE_PATH_STYLE: 'true',
      S3_PREFIX: 'of/the-tests',
      S3_ACCESS_KEY_ID: keyId,
      S3_SECRET_ACCESS_KEY: secret,
    };
  }

  fault(fault: S3Fault): void {
    this.faults.push(fault);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    this.requests.push(`${method} ${url}`);
    this.headers = request.headers;
    const fault = this.faults.find(({ match, times }) => times > 0 && match.test(`${method} ${url}`));
    if (fault) fault.times -= 1;
    if (fault?.does === 'hang') return;
    if (typeof fault?.does === 'number') return refuse(response, fault.does, 'Fault');
    if (!isSigned(request, keyId, secret)) return refuse(response, 403, 'SignatureDoesNotMatch');
    const { pathname, searchParams } = new URL(url, 'http://s3');
    const [, inBucket = '', key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
    if (inBucket !== bucket) return refuse(response, 404, 'NoSuchBucket');
    if (searchParams.has('list-type')) return xml(response, this.list(searchParams));
    if (method === 'POST' && searchParams.has('delete')) return this.removeMany(request, response);
    if (method === 'PUT') return this.put(key, request, response);
    const found = this.objects.get(key);
    if (method === 'DELETE') {
      this.objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (found === undefined) return refuse(response, 404, 'NoSuchKey');
    const { bytes, modified } = found;
    const range = method === 'GET' ? rangeOf(request.headers.range, bytes.length) : null;
    if (range === 'past the end') return refuse(response, 416, 'InvalidRange');
    const part = bytes.subarray(range ?? 0);
    response.writeHead(range === null ? 200 : 206, {
      'Content-Length': part.length,
      'Last-Modified': modified.toUTCString(),
      ...(range !== null && { 'Content-Range': `bytes ${range}-${bytes.length - 1}/${bytes.length}` }),
    });
    return method === 'HEAD' ? void response.end() : sendSlowly(response, part, fault?.does);
  }

  private async put(key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const source = request.headers['x-amz-copy-source'];
    if (typeof source === 'string') {
      const copied = this.objects.get(decodeURIComponent(source).replace(`${bucket}/`, ''));
      if (copied === undefined) return refuse(response, 404, 'NoSuchKey');
      this.objects.set(key, { bytes: copied.bytes, modified: new Date() });
      return xml(response, '<CopyObjectResult><ETag>"1"</ETag></CopyObjectResult>');
    }
    this.objects.set(key, { bytes: await buffer(request), modified: new Date() });
    return void response.writeHead(200).end();
  }

  private list(query: URLSearchParams): string {
    const after = query.get('continuation-token') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
    const rest = keys.filter((key) => key > after);
    const page = rest.slice(0, Math.min(1_000, Number(query.get('max-keys') ?? 1_000)));
    const contents = page.map((key) => {
      const { modified, bytes } = this.objects.get(key) ?? { modified: new Date(), bytes: Buffer.alloc(0) };
      const facts = `<LastModified>${modified.toISOString()}</LastModified><Size>${bytes.length}</Size>`;
      return `<Contents><Key>${key}</Key>${facts}</Contents>`;
    });
    const more = page.length < rest.length;
    const next = more ? `<NextContinuationToken>${page.at(-1) ?? ''}</NextContinuationToken>` : '';
    return `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
  }

  private async removeMany(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const md5 = createHash('md5').update(body).digest('base64');
    if (request.headers['content-md5'] !== md5) return refuse(response, 400, 'MissingContentMD5');
    const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
    if (keys.length > 1_000) return refuse(response, 400, 'MalformedXML');
    for (const key of keys) this.objects.delete(key);
    return xml(response, '<DeleteResult></DeleteResult>');
  }
}

/** Returns the first byte of `bytes=100-` or `bytes=-50`; null without a range. */
function rangeOf(range: string | undefined, size: number): number | 'past the end' | null {
  const [, from = '', suffix = ''] = /^bytes=(?:(\d+)-|-(\d+))$/.exec(range ?? '') ?? [];
  if (range === undefined) return null;
  const first = from === '' ? Math.max(size - Number(suffix), 0) : Number(from);
  return first >= size ? 'past the end' : first;
}

async function sendSlowly(response: ServerResponse, bytes: Buffer, fault: S3Fault['does'] = 0): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += SLICE) {
    if (typeof fault === 'object' && 'cutAfter' in fault && at >= fault.cutAfter) return void response.destroy();
    if (typeof fault === 'object' && 'until' in fault && at >= fault.pauseAfter) await fault.until;
    if (!response.write(bytes.subarray(at, at + SLICE))) {
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          response.off('drain', goOn).off('close', goOn);
          resolve();
        };
        response.on('drain', goOn).on('close', goOn);
      });
    }
  }
  response.end();
}

/** Without a message, as Ceph's gateway responds. */
function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml', Connection: 'close' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message></Message></Error>`);
}

function xml(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
}
