import { openApiDocument } from '../../../api/http/openapi/document';
import { routes } from '../../../api/routes';
import { lintOpenApi } from '../../support/lintOpenApi';

type Part = Record<string, unknown>;

const SERVER = 'https://invoices.example.net';
const small = openApiDocument(
  routes.filter(({ path }) => path === '/api/invoices/{id}'),
  SERVER,
);

/** The document of one route, with one part changed, found by its JSON pointer; `undefined` removes it. */
function changed(pointer: string, value: unknown): object {
  const document = structuredClone(small);
  const names = pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/'));
  const last = names.pop() ?? '';
  const part = names.reduce((inner, name) => inner[name] as Part, document as Part);
  if (value === undefined) delete part[last];
  else part[last] = value;
  return document;
}

const get = '/paths/~1api~1invoices~1{id}/get';

describe('the OpenAPI document', () => {
  test('is what the schema of OpenAPI 3.1 and the usual linters ask for', () => {
    expect(lintOpenApi(openApiDocument(routes, SERVER))).toEqual([]);
  });

  test.each([
    ['components that are missing', '/components/schemas', undefined, /#\/components\/schemas\/\w+ leads nowhere/],
    ['a component that nothing uses', '/components/schemas/Unused', { type: 'string' }, /schemas\/Unused is not used/],
    ['a field that OpenAPI does not have', `${get}/colour`, 'red', /structure: .*\/get/],
    ['a schema that is none', '/components/schemas/Health/type', 'strin', /schema: .*\/components\/schemas\/Health/],
    ['an enum of another type', '/components/schemas/Health/properties/status/enum', [1], /value of another type/],
    ['a list of anything', '/components/schemas/Health/properties/status/type', 'array', /no items/],
    ['a required property without a description', '/components/schemas/Health/required', ['x'], /no property x/],
    ['an example that is refused', '/components/schemas/Health/examples', [1], /example: .*must be object/],
    ['an operationId twice', `${get}/operationId`, 'checkHealth', /operationId: checkHealth twice/],
    ['an operationId with a blank', `${get}/operationId`, 'get it', /no operationId that fits/],
    ['no summary', `${get}/summary`, undefined, /get: no summary/],
    ['a tag that is not declared', `${get}/tags`, ['Nothing'], /tag Nothing is not declared/],
    ['no parameter for its path', `${get}/parameters`, [], /path parameters differ/],
    ['no responses to mistakes', `${get}/responses`, { 200: { description: 'Yes' } }, /no response 4xx/],
    ['another security scheme', '/security', [{ other: [] }], /scheme other is not declared/],
    ['a path that two names match', '/paths/~1api~1invoices~1{other}', {}, /path: .*\{\} twice/],
    ['a path with a query', '/paths/~1api?x=1', {}, /has a query/],
    ['a server with a slash at the end', '/servers/0/url', 'https://a.example.net/', /servers: .*net\//],
    ['no licence', '/info/license', undefined, /no licence/],
  ])('with %s › is refused', (_what, pointer, value, problem) => {
    expect(lintOpenApi(changed(pointer, value)).join('\n')).toMatch(problem);
  });
});
