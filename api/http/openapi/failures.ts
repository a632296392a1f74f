import { STATUS_CODES } from 'node:http';
import { MAX_PROBLEMS } from '../../../shared/engine/errors';
import { problemType } from '../middleware/errors';
import type { Route } from '../routing/Route';
import { errorCode, named } from '../../../shared/engine/schemas';
import { headersOf, sharedHeaders, type ResponseHeader } from './headers';

/** RFC 9457, see `Problem`. */
export const problemSchema = named('Problem', {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'message', 'requestId'],
  additionalProperties: false,
  properties: {
    type: { type: 'string', const: problemType },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: errorCode,
    detail: { type: 'string', description: 'For people.' },
    message: { type: 'string', description: 'The same as detail.' },
    errors: {
      type: 'array',
      maxItems: MAX_PROBLEMS,
      description: 'On validation failures: what is wrong with which field; the first ones where there is more.',
      items: named('FieldProblem', {
        type: 'object',
        required: ['path', 'message'],
        additionalProperties: false,
        properties: { path: { type: 'string', examples: ['items/0/quantity'] }, message: { type: 'string' } },
      }),
    },
    requestId: { type: 'string' },
  },
});

/** The problems that any operation may respond with. */
const shared: Record<number, string> = {
  400: 'Malformed JSON, a field or query value that is not valid, an unknown body field or query parameter, an id that is not all digits.',
  401: 'No usable API key.',
  403: 'The key lacks the scope.',
  405: 'The path has other methods.',
  406: '`Accept` allows none of the media types of the response.',
  429: 'Too many requests.',
  500: 'A fault of ours; the log has it under the request id.',
  503: 'MySQL, Redis or the file store is unavailable, or the process is overloaded.',
};
const ofRecords: Record<number, string> = {
  404: 'No such record (or it is deleted, or of another company).',
};
const ofBodies: Record<number, string> = {
  408: 'The body came too slowly.',
  413: 'The body is too large.',
  415: 'The body has another content type.',
};
const ofKeys: Record<number, string> = {
  409: 'A request with this Idempotency-Key is still in progress, or `limit_reached`: the company uses as many keys as it can.',
  422: 'This Idempotency-Key was used with another request.',
};
const ofParts: Record<number, string> = {
  416: 'The range begins past the end of the file.',
};
const general: Record<number, string> = { ...shared, ...ofRecords, ...ofBodies, ...ofKeys, ...ofParts };

const headersByStatus: Record<number, readonly ResponseHeader[]> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Returns the documentation of a response with a problem. */
export function problemResponse(status: number, description: string): object {
  return {
    description,
    headers: headersOf([...sharedHeaders, ...(headersByStatus[status] ?? [])]),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

/** The general problems as components, such as `#/components/responses/NotFound`. */
export const failureComponents = Object.fromEntries(
  Object.entries(general).map(([status, description]) => [
    nameOf(Number(status)),
    problemResponse(Number(status), description),
  ]),
);

/** Returns the problems that an operation responds with. Its own description of a status replaces the general one. */
export function failuresOf({ method, path, body, upload, success, failures = {} }: Route): Record<string, object> {
  const { 202: _accepted, ...own } = failures;
  const statuses = {
    ...shared,
    ...(path.includes('{') ? ofRecords : {}),
    ...((body ?? upload) ? ofBodies : {}),
    ...(method === 'POST' ? ofKeys : {}),
    ...(success.headers?.includes('Accept-Ranges') ? ofParts : {}),
    ...own,
  };
  return Object.fromEntries(
    Object.entries(statuses).map(([status, description]) => [
      status,
      Number(status) in own
        ? problemResponse(Number(status), description)
        : { $ref: `#/components/responses/${nameOf(Number(status))}` },
    ]),
  );
}

/** Returns the name of a status: `NotFound` for 404. */
function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? String(status)).replaceAll(/[^A-Za-z]/g, '');
}
