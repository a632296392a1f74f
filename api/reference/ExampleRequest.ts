import type { Operation } from './ReferenceDocument';

/** The example of an operation: a request that succeeds in the demo company. */
export interface ExampleRequest {
  operationId: string;
  method: string;
  /** The path with its parameters filled in. */
  path: string;
  pathParameters: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, string | number | boolean>>;
  /** The JSON body, or null. */
  body: object | null;
  /** The file that is uploaded, with the fields of its form beside it, or null. */
  file: { field: string; name: string; fields: Readonly<Record<string, string>> } | null;
  isPublic: boolean;
  /** Whether the response is a file. */
  isDownload: boolean;
}

/** Returns the example of an operation, made of the examples of its parameters and its body. */
export function exampleRequest(method: string, path: string, operation: Operation): ExampleRequest {
  const { operationId, parameters = [], requestBody, security, responses } = operation;
  const valuesIn = (place: string) =>
    Object.fromEntries(
      parameters.flatMap(({ name, in: where, example }) =>
        where === place && example !== undefined ? [[name, example]] : [],
      ),
    );
  const pathParameters = valuesIn('path');
  const { 'application/json': json, 'multipart/form-data': form } = requestBody?.content ?? {};
  const fields = Object.entries((form?.example ?? {}) as Record<string, string>);
  const upload = fields.pop();
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  return {
    operationId,
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(pathParameters[name]))),
    pathParameters,
    query: valuesIn('query'),
    body: json?.example ?? null,
    file: upload === undefined ? null : { field: upload[0], name: upload[1], fields: Object.fromEntries(fields) },
    isPublic: security?.length === 0,
    isDownload: success !== undefined && 'content' in success && !('application/json' in (success.content ?? {})),
  };
}
