type Content = Record<string, { schema: { $ref: string } }>;
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: boolean;
  parameters?: { name: string; in: string }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

/** The parts of the OpenAPI document from which the client is generated. */
export interface ClientDocument {
  servers?: object;
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
}

/**
 * Returns the document without headers, error responses, and media types beside JSON. The types of all of it would be
 * several times as large.
 */
export function reduceDocument({ servers: _, ...document }: ClientDocument): ClientDocument {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, reduceOperation(operation)])),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as ClientDocument['paths'] };
}

function reduceOperation({ parameters = [], responses, ...operation }: Operation): Operation {
  const successes = Object.entries(responses).filter(([status]) => /^20[^6]$/.test(status));
  return {
    ...operation,
    parameters: parameters.filter((parameter) => parameter.in !== 'header'),
    responses: Object.fromEntries(successes.map(([status, response]) => [status, reduceResponse(response)])),
  };
}

function reduceResponse({ content = {}, ...response }: Operation['responses'][string]): object {
  const json = content['application/json'];
  return { ...response, content: json === undefined ? content : { 'application/json': json } };
}
