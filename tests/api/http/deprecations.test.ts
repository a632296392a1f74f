import { openApiDocument } from '../../../api/http/openapi/document';
import { route, type Route } from '../../../api/http/routing/Route';
import { metricsText } from '../../../shared/engine/metrics';
import { requestBody, responseBody } from '../../../shared/engine/schemas';
import { createCompany } from '../../support/factories';
import { lintOpenApi } from '../../support/lintOpenApi';
import { collectLines } from '../../support/logLines';
import { type Caller, startApi } from '../../support/server';

const first = { since: '2026-12-01', sunset: '2027-12-01', use: '`colour`' };
const second = { since: '2027-01-01', sunset: '2027-06-01', use: '`GET /api/things`' };
const success = { status: 200, description: 'Done', schema: responseBody({ done: { type: 'boolean' } }) };
const done = () => Promise.resolve({ status: 200, body: { done: true } });
const shared = { scope: 'read', tag: 'Clients', success, handle: done } as const;

const table: Route[] = [
  route({
    ...shared,
    operationId: 'listOldThings',
    method: 'GET',
    path: '/api/old',
    summary: 'Old',
    deprecated: second,
  }),
  route({
    ...{ ...shared, operationId: 'listThings', method: 'GET', path: '/api/things', summary: 'Things' },
    query: {
      type: 'object',
      properties: { color: { type: 'string', default: 'red', deprecation: first }, colour: { type: 'string' } },
    },
  }),
  route({
    ...{ ...shared, operationId: 'createThing', method: 'POST', path: '/api/things', summary: 'A thing' },
    body: requestBody({
      color: { type: 'string', deprecation: first },
      parts: {
        type: 'array',
        maxItems: 9,
        items: {
          type: 'object',
          additionalProperties: false,
          properties: { size: { type: 'integer', deprecation: second } },
        },
      },
    }),
  }),
];

const { log, lines } = collectLines();
let caller: Caller;
let companyId: number;
let publicUrl: string;

beforeAll(async () => {
  const api = await startApi({ routes: table, log });
  const company = await createCompany(api.services);
  ({ companyId } = company);
  ({ publicUrl } = api.services.config);
  caller = api.as(company.token);
});

const usesOf = async (operation: string): Promise<number> => {
  const line = (await metricsText())
    .split('\n')
    .find((one) => one.includes(`requests_total{operation="${operation}"}`));
  return Number(line?.split(' ').at(-1) ?? 0);
};

describe('a request', () => {
  test('to an operation that is to go › is served, and says since when and until when', async () => {
    const { headers } = await caller.get('/api/old').expect(200, { done: true });
    expect(headers).toMatchObject({
      deprecation: `@${Date.parse('2027-01-01T00:00:00Z') / 1_000}`,
      sunset: 'Tue, 01 Jun 2027 00:00:00 GMT',
      link: `<${publicUrl}/openapi.json>; rel="deprecation"; type="application/json"`,
    });
  });

  test.each([
    ['a parameter', () => caller.get('/api/things?color=blue'), '2026-12-01', '2027-12-01'],
    ['a field', () => caller.post('/api/things').send({ color: 'blue' }), '2026-12-01', '2027-12-01'],
    [
      'a field of a list',
      () => caller.post('/api/things').send({ parts: [{}, { size: 1 }] }),
      '2027-01-01',
      '2027-06-01',
    ],
    [
      'several',
      () => caller.post('/api/things').send({ color: 'blue', parts: [{ size: 1 }] }),
      ...(['2026-12-01', '2027-06-01'] as const),
    ],
  ])('with %s that is to go › says so, by the first of the days', async (_, send, since, sunset) => {
    const { headers } = await send().expect(200);
    expect(headers['deprecation']).toBe(`@${Date.parse(since) / 1_000}`);
    expect(headers['sunset']).toBe(new Date(sunset).toUTCString());
  });

  test.each([
    ['a parameter that is only a default', () => caller.get('/api/things?color=')],
    ['other parameters', () => caller.get('/api/things?colour=blue')],
    ['other fields', () => caller.post('/api/things').send({ parts: [{}] })],
  ])('with %s › says nothing', async (_, send) => {
    const { headers } = await send().expect(200);
    expect(Object.keys(headers).filter((name) => ['deprecation', 'sunset', 'link'].includes(name))).toEqual([]);
  });

  test('that is refused › says so too', async () => {
    const { headers } = await caller.get('/api/old?unknown=1').expect(400);
    expect(headers).toHaveProperty('deprecation');
  });

  test('is counted by its operation, and the log names the company once', async () => {
    const before = await usesOf('createThing');
    for (let n = 0; n < 3; n++) await caller.post('/api/things').send({ color: 'blue' }).expect(200);
    await caller.post('/api/things').send({}).expect(200);
    expect(await usesOf('createThing')).toBe(before + 3);
    const used = lines.filter(
      ({ msg, operationId }) => msg === 'what is deprecated was used' && operationId === 'createThing',
    );
    expect(used).toEqual([expect.objectContaining({ companyId, parts: ['color'] })]);
  });
});

test('the OpenAPI document › marks what is to go, and says what to use', () => {
  const document = openApiDocument(table, 'https://invoices.example.net') as Record<string, never>;
  // Three operations do not use every kind of response.
  expect(lintOpenApi(document).filter((problem) => !problem.startsWith('component: responses/'))).toEqual([]);
  const sentence = 'Deprecated since 2026-12-01, may be gone from 2027-12-01: use `colour`.';
  const headers = { Deprecation: {}, Sunset: {}, Link: {} };
  expect(document['paths']).toMatchObject({
    '/api/old': {
      get: { deprecated: true, description: expect.stringContaining('use `GET /api/things`') as string },
    },
    '/api/things': {
      get: {
        parameters: [{ name: 'color', deprecated: true, schema: { deprecated: true, description: sentence } }, {}],
        responses: { 200: { headers } },
      },
      post: {
        requestBody: {
          content: {
            'application/json': { schema: { properties: { color: { deprecated: true, description: sentence } } } },
          },
        },
      },
    },
  });
});
