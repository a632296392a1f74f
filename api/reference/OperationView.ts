import { type ExampleRequest, exampleRequest } from './ExampleRequest';
import { type Field, Fields } from './fields';
import { nameIn, type Operation, type Parameter, type ReferenceDocument } from './ReferenceDocument';
import { type Snippet, snippetsOf } from './snippets';

/** An operation as the reference page shows it. */
export interface OperationView {
  id: string;
  method: string;
  path: string;
  tag: string;
  /** The beginning of the summary. */
  title: string;
  /** The whole summary, where the title is not all of it. */
  lead: string;
  description: string;
  isDeprecated: boolean;
  parameters: ParameterView[];
  /** Null for an operation without a body. */
  body: { isRequired: boolean; type: string; fields: Field[]; ignored: string[] } | null;
  /** The responses that only this operation has. */
  responses: ResponseView[];
  /** The statuses of responses that it has in common with others. */
  commonFailures: string[];
  snippets: Snippet[];
  /** Null for an operation that only another service can call. */
  attempt: { example: ExampleRequest; body: string | null; types: string[] } | null;
}

/** A parameter, with its place and the text in the field that it is typed into. */
export interface ParameterView extends Field {
  place: Parameter['in'];
  value: string;
}

export interface ResponseView {
  status: string;
  description: string;
  types: string[];
  /** The name of the object that is the JSON body of a success. */
  object: string | null;
}

/** Describes the operation of a method and path. */
export function operationView(
  [method, path]: readonly [method: string, path: string],
  operation: Operation,
  { components: { schemas }, servers: [server] }: ReferenceDocument,
): OperationView {
  const { operationId, summary, description, tags, parameters = [], requestBody, responses } = operation;
  const fields = new Fields(schemas, true);
  const all = Object.entries(responses);
  const own = all.flatMap(([status, response]) => ('$ref' in response ? [] : [responseView(status, response)]));
  const [type = '', media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const example = exampleRequest(method, path, operation);
  const title = titleOf(summary);
  return {
    id: operationId,
    method: example.method,
    path,
    tag: tags[0] ?? '',
    title,
    lead: title === summary ? '' : `${summary}.`,
    description,
    isDeprecated: operation.deprecated === true,
    parameters: parameters.map((parameter) => parameterView(parameter, fields)),
    body:
      media === undefined
        ? null
        : {
            isRequired: requestBody?.required === true,
            type,
            fields: fields.of(media.schema),
            ignored: fields.ignored(media.schema),
          },
    responses: own,
    commonFailures: all.flatMap(([status, response]) => ('$ref' in response ? [status] : [])),
    snippets: snippetsOf(example, server?.url ?? ''),
    attempt:
      !example.isPublic || method === 'get'
        ? {
            example,
            body: example.body === null ? null : JSON.stringify(example.body, null, 2),
            types: own.find(({ status }) => status.startsWith('2'))?.types ?? [],
          }
        : null,
  };
}

function parameterView(parameter: Parameter, fields: Fields): ParameterView {
  const { name, in: place, required, deprecated, description, schema, example } = parameter;
  const field = fields.field(name, schema, required === true);
  return {
    ...field,
    place,
    isDeprecated: deprecated === true || field.isDeprecated,
    description: description ?? field.description,
    value: example === undefined ? '' : String(example),
  };
}

function responseView(
  status: string,
  { description, content = {} }: Exclude<Operation['responses'][string], { $ref: string }>,
): ResponseView {
  const schema = content['application/json']?.schema;
  return {
    status,
    description,
    types: Object.keys(content),
    object: schema?.$ref === undefined ? null : nameIn(schema.$ref),
  };
}

/** Returns the text before the first punctuation mark: `Delete a client` of `Delete a client: …`. */
const titleOf = (summary: string): string => /^[^:;,]*/.exec(summary)?.[0] ?? summary;
