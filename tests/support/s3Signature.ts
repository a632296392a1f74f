import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;

/** True when the request carries a right AWS Signature Version 4 in its Authorization header; made from the specification. */
export function isSigned({ method = '', url = '', headers }: IncomingMessage, keyId: string, secret: string): boolean {
  const [, givenId, day = '', region = '', signed = '', signature] = FORM.exec(headers.authorization ?? '') ?? [];
  const [path = '', query = ''] = url.split('?');
  const parameters = query.split('&').map((part) => (part.includes('=') || part === '' ? part : `${part}=`));
  const lines = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const payload = String(headers['x-amz-content-sha256']);
  const canonical = [method, path, parameters.sort().join('&'), lines.join(''), signed, payload].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const hash = createHash('sha256').update(canonical).digest('hex');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash].join('\n');
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const key = [region, 's3', 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secret}`, day));
  return givenId === keyId && createHmac('sha256', key).update(toSign).digest('hex') === signature;
}
