import { createHash } from 'node:crypto';
import type { S3 } from '@aws-sdk/client-s3';
import type { S3Config } from '../../config/files';

const CONNECT_WITHIN_MS = 3_000;
const silent = (): void => undefined;

/**
 * A client for the configured bucket; the SDK is loaded now, so that an installation without S3 does not pay for it.
 * `timeoutMs`: patience with one request's first answer; a connection may say nothing for three times as long.
 */
export async function openS3(config: S3Config, timeoutMs: number): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  const s3 = new S3({
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    ...(config.endpoint && { endpoint: config.endpoint }),
    // A copy: the SDK writes into it.
    ...(config.credentials && { credentials: { ...config.credentials } }),
    // The newer checksums are what stores other than AWS's know least; TLS keeps what is sent whole.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    maxAttempts: 3,
    // What goes wrong is told by who asked.
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_WITHIN_MS, timeoutMs),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs * 3,
      // Each download holds one for as long as its reader takes.
      httpAgent: { keepAlive: true, maxSockets: 500 },
      httpsAgent: { keepAlive: true, maxSockets: 500 },
    },
  });
  // Stores that do not know the newer checksums demand this one where many objects are deleted at once.
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
