import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Sdk from '@aws-sdk/client-s3';
import type { S3Config } from '../../../config/files';

const CONNECT_WITHIN_MS = 3_000;
/** While too many files are open, nothing can be loaded. Node.js caches that of an `import()`, and that no package was found. */
const load = createRequire(__filename);
const sdk = load.resolve('@aws-sdk/client-s3');
const silent = (): void => undefined;

/**
 * Creates a client for the configured bucket. Loads the SDK here, so that an installation without S3 does not load it.
 * `timeoutMs` is the time-out for the first byte of a response; a connection may be silent for three times as long.
 */
export function openS3(config: S3Config, timeoutMs: number): Sdk.S3 {
  const { S3 } = load(sdk) as typeof Sdk;
  const s3 = new S3({
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    ...(config.endpoint && { endpoint: config.endpoint }),
    // A copy, because the SDK writes into it.
    ...(config.credentials && { credentials: { ...config.credentials } }),
    // Many stores other than AWS's do not support the newer checksums. TLS protects the bytes in transit.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    maxAttempts: 3,
    // Callers log errors themselves.
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_WITHIN_MS, timeoutMs),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs * 3,
      // Each download holds a socket until its reader is done. `MAX_RESPONSES_MB` is their limit; one here would let slow readers stop others.
      httpAgent: { keepAlive: true, maxSockets: Infinity },
      httpsAgent: { keepAlive: true, maxSockets: Infinity },
    },
  });
  // Stores that do not support the newer checksums require Content-MD5 on a deletion of many objects.
  s3.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const request = args.request as { headers: Record<string, string>; body?: unknown };
        if (commandName === 'DeleteObjectsCommand' && typeof request.body === 'string') {
          request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
        }
        return next(args);
      },
    { step: 'build', name: 'contentMd5OfDeletes' },
  );
  return s3;
}
