import type { SchemaObject } from 'ajv';
import { successTypes } from '../routing/checkAccept';
import { queryOf } from '../routing/queryOf';
import type { RequestExample, Route } from '../routing/Route';
import { type Deprecation, deprecationSentence, named, recordId, responseBody } from '../../../shared/engine/schemas';
import { deprecationsOf } from '../routing/deprecations';
import { failuresOf } from './failures';
import {
  deprecationHeaders,
  headerParametersOf,
  headersOf,
  sharedHeaders,
  type RequestHeader,
  type ResponseHeader,
} from './headers';
import type { Schemas } from './Schemas';

const acceptedSchema = named(
  'AcceptedJob',
  responseBody({ message: { type: 'string' }, data: responseBody({ jobId: recordId }) }),
);

/** By this format, client generators recognise a file that is not text. */
const fileSchema = { type: 'string', format: 'binary' };

export const json = (schema: object): object => ({ 'application/json': { schema } });

/** Returns one operation of the document. */
export function operationOf(route: Route, schemas: Schemas): object {
  const { operationId, path, summary, tag, scope, deprecated, example = {} } = route;
  return {
    operationId,
    summary,
    tags: [tag],
    description: [`Scope: \`${scope}\`.`, ...(deprecated ? [deprecationSentence(deprecated)] : [])].join(' '),
    ...(deprecated && { deprecated: true }),
    parameters: [
      ...pathParameters(path, example),
      ...queryParameters(queryOf(route), schemas, example),
      ...headerParametersOf(requestHeadersOf(route)),
    ],
    ...requestBodyOf(route, schemas),
    responses: { ...successesOf(route, schemas), ...failuresOf(route) },
  };
}

function pathParameters(path: string, { path: examples = {} }: RequestExample): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: examples[name] ?? 1,
  }));
}

function queryParameters(
  query: SchemaObject | undefined,
  schemas: Schemas,
  { query: examples = {} }: RequestExample,
): object[] {
  const properties = (query?.properties ?? {}) as Record<string, SchemaObject>;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    ...((schema as { deprecation?: Deprecation }).deprecation && { deprecated: true }),
    schema: schemas.show(schema, 'request'),
    ...(name in examples && { example: examples[name] }),
  }));
}

function requestHeadersOf({ method, success: { headers = [] }, failures = {} }: Route): RequestHeader[] {
  return [
    ...(method === 'POST' ? (['Idempotency-Key'] as const) : []),
    ...(412 in failures ? (['If-Match'] as const) : []),
    ...(202 in failures ? (['Prefer'] as const) : []),
    ...(method === 'GET' && headers.includes('ETag') ? (['If-None-Match'] as const) : []),
    ...(headers.includes('Accept-Ranges') ? (['Range', 'If-Range'] as const) : []),
  ];
}

function requestBodyOf({ body, upload, example }: Route, schemas: Schemas): object {
  const shown = example?.body && { example: example.body };
  if (upload) {
    const { field, fields = {} } = upload;
    const properties = Object.entries((fields.properties ?? {}) as Record<string, SchemaObject>).map(
      ([name, schema]) => [name, schemas.show(schema, 'request')],
    );
    const schema = {
      type: 'object',
      required: [...((fields.required ?? []) as string[]), field],
      properties: { ...(Object.fromEntries(properties) as object), [field]: fileSchema },
    };
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema, ...shown } } } };
  }
  if (Object.keys((body?.properties ?? {}) as object).length === 0) return {};
  const { required = [] } = body as { required?: string[] };
  return {
    requestBody: {
      required: required.length > 0,
      content: { 'application/json': { schema: schemas.show(body as SchemaObject, 'request'), ...shown } },
    },
  };
}

function successesOf(route: Route, schemas: Schemas): Record<string, object> {
  const { method, success, failures } = route;
  const { status, description, schema, headers: own = [] } = success;
  const replayed: ResponseHeader[] = method === 'POST' ? ['Idempotent-Replayed'] : [];
  const named: ResponseHeader[] = route.csv === undefined ? [] : ['Content-Disposition'];
  const going = deprecationsOf(route).all.length > 0 ? deprecationHeaders : [];
  const headers = [...sharedHeaders, ...own, ...replayed, ...named, ...going];
  const content = schema
    ? { ...json(schemas.show(schema, 'response')), ...(route.csv && { 'text/csv': { schema: { type: 'string' } } }) }
    : Object.fromEntries(successTypes(route).map((type) => [type, { schema: fileSchema }]));
  const hasTag = method === 'GET' && own.includes('ETag');
  return {
    [status]: { description, headers: headersOf(headers), content },
    ...(failures?.[202] !== undefined && {
      202: {
        description: failures[202],
        headers: headersOf([...sharedHeaders, ...replayed, 'Location']),
        content: json(schemas.show(acceptedSchema, 'response')),
      },
    }),
    ...(own.includes('Accept-Ranges') && {
      206: {
        description: 'The part that `Range` asks for.',
        headers: headersOf([...headers, 'Content-Range']),
        content,
      },
    }),
    ...(hasTag && {
      304: {
        description: '`If-None-Match` has the current version.',
        headers: headersOf([...sharedHeaders, 'ETag']),
      },
    }),
  };
}
