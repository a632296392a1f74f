/** The documented headers of requests. */
const requestDescriptions = {
  'Idempotency-Key': '1 to 255 characters: the same request under it gets the same response, and is carried out once.',
  'If-Match': 'The ETag of the version to change.',
  'If-None-Match': 'The ETag of the version that you have.',
  'If-Range': 'The strong ETag of the version that you have a part of; of another version, the whole file is sent.',
  Prefer: '`respond-async` does not wait for the job: 202.',
  Range: 'One range of bytes, such as `bytes=0-1023`.',
} as const;

/** The documented headers of responses. */
const descriptions = {
  'Accept-Ranges': '`bytes`: the file is sent in parts as well, see `Range`.',
  Allow: 'The methods that the path has.',
  'Content-Disposition': 'Whether to show or to save the file, and its name (RFC 6266).',
  'Content-Range': 'Which bytes these are, and how many the file has.',
  Deprecation: 'Since when the operation, or a parameter or field of the request, is deprecated (RFC 9745).',
  ETag: 'The version, for `If-Match` and `If-None-Match`. Compressed and plain responses have different ones.',
  'Idempotent-Replayed': '`true` on the stored response to an earlier request under the same `Idempotency-Key`.',
  Link: 'With `Deprecation`: where is documented what to use instead.',
  Location: 'The path of the record that was created, or of the job to ask about.',
  RateLimit: 'What is left of the limit of the company, over all of its keys. Only where the installation has one.',
  'RateLimit-Policy': 'The limit of the company, over all of its keys. Only where the installation has one.',
  'Retry-After': 'Seconds to wait before the next try.',
  Sunset: 'With `Deprecation`: from when it may be gone (RFC 8594).',
  'WWW-Authenticate': '`Bearer`, and the scope that is missing.',
  'X-Request-Id': 'Names this request in the log: the one that was sent, or a new one.',
} as const;

export type RequestHeader = keyof typeof requestDescriptions;
export type ResponseHeader = keyof typeof descriptions;

export const requestHeaders = Object.keys(requestDescriptions);
export const responseHeaders = Object.keys(descriptions);

/** The headers of every response under `/api`. */
export const sharedHeaders: readonly ResponseHeader[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];

/** The headers of responses to requests that use what is deprecated. */
export const deprecationHeaders: readonly ResponseHeader[] = ['Deprecation', 'Sunset', 'Link'];

/** Returns the headers as components of a document: those that it refers to. */
export function headerComponents(document: object): Record<string, object> {
  const text = JSON.stringify(document);
  const used = Object.entries(descriptions).filter(([name]) => text.includes(`"#/components/headers/${name}"`));
  return Object.fromEntries(used.map(([name, description]) => [name, { description, schema: { type: 'string' } }]));
}

/** Returns references to headers, for a response object. */
export function headersOf(names: readonly ResponseHeader[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns the headers of a request as parameters of an operation. */
export function headerParametersOf(names: readonly RequestHeader[]): object[] {
  return names.map((name) => ({
    name,
    in: 'header',
    description: requestDescriptions[name],
    schema: { type: 'string' },
  }));
}
