import { type ContractDocument, contractBreaks } from '../../dev/docs/contractBreaks';
import { currentDocument, keptContract } from '../../dev/docs/contract';
import type { Schema } from '../../dev/docs/schemaBreaks';

test('docs/openapi.json › holds: nothing in it is removed or narrowed', () => {
  expect(contractBreaks(keptContract(), currentDocument())).toEqual([]);
});

const request: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 50, description: 'Must be one line.' },
    status: { type: 'string', enum: ['draft', 'sent'], default: 'draft' },
    count: { type: ['integer', 'null'], minimum: 0, maximum: 9 },
    tags: { type: 'array', maxItems: 9, items: { $ref: '#/components/schemas/Tag' } },
    amount: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
};
const response: Schema = {
  type: 'object',
  required: ['id', 'status'],
  properties: {
    id: { type: 'integer' },
    status: { type: 'string', enum: ['draft'] },
    at: { type: 'string', format: 'date-time' },
    all: { type: 'array', items: { type: 'string' } },
    of: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  },
};

function document(): ContractDocument {
  const operation = {
    operationId: 'makeThing',
    parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } }],
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewThing' } } } },
    responses: {
      201: { headers: { Location: {} }, content: { 'application/json': { schema: response } } },
    },
  };
  const event = { schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } };
  const webhook = { operationId: 'made', requestBody: { content: { 'application/json': event } }, responses: {} };
  return structuredClone({
    paths: { '/things': { post: operation } },
    webhooks: { made: { post: webhook } },
    components: { schemas: { NewThing: request, Tag: { type: 'string', maxLength: 5 } } },
  });
}

const post = (of: ContractDocument) => of.paths['/things']?.['post'] as ContractDocument['paths'][string][string];
const body = ({ components }: ContractDocument) => components.schemas['NewThing'] as Required<Schema>;
const property = (schema: Schema, name: string) => schema.properties?.[name] as Required<Schema>;
const shown = (of: ContractDocument) =>
  post(of).responses['201']?.content?.['application/json']?.schema as Required<Schema>;
const event = (of: ContractDocument) =>
  of.webhooks?.['made']?.['post']?.requestBody?.content['application/json']?.schema as Required<Schema>;

const breaking: [string, (of: ContractDocument) => unknown, string][] = [
  ['a path is gone', (of) => delete of.paths['/things'], 'POST /things is missing'],
  ['a webhook is gone', (of) => delete of.webhooks?.['made'], 'POST made is missing'],
  ['an operation is renamed', (of) => (post(of).operationId = 'x'), 'POST /things has another operationId'],
  ['a parameter is gone', (of) => (post(of).parameters = []), 'POST /things query page is missing'],
  [
    'a parameter is needed',
    (of) => post(of).parameters?.push({ name: 'x', in: 'query', required: true, schema: {} }),
    'POST /things requires query x',
  ],
  ['a default is another', (of) => ((post(of).parameters?.[0]?.schema ?? {}).default = 2), 'page has another default'],
  ['a response is gone', (of) => delete post(of).responses['201'], 'POST /things 201 is missing'],
  ['a header is gone', (of) => delete post(of).responses['201']?.headers, '201 header Location is missing'],
  ['a media type is gone', (of) => delete post(of).responses['201']?.content, '201 as application/json is missing'],
  ['a body is needed', (of) => ((post(of).requestBody ?? { required: false }).required = true), 'requires a body'],
  ['a field of a request is gone', (of) => delete body(of).properties['count'], 'body/count is missing'],
  ['a field is needed', (of) => body(of).required.push('count'), 'POST /things body requires count'],
  ['other fields are refused', (of) => (body(of).additionalProperties = false), 'body refuses other fields'],
  ['a value is refused', (of) => property(body(of), 'status').enum.pop(), 'body/status has fewer values'],
  ['a field gets values', (of) => (property(body(of), 'name').enum = ['a']), 'body/name has fewer values'],
  ['null is refused', (of) => (property(body(of), 'count').type = 'integer'), 'body/count has fewer types'],
  ['a text is shorter', (of) => (property(body(of), 'name').maxLength = 49), 'body/name has another maxLength'],
  ['a number is larger', (of) => (property(body(of), 'count').minimum = 1), 'body/count has another minimum'],
  ['a text gets a pattern', (of) => (property(body(of), 'name').pattern = '^a'), 'body/name has another pattern'],
  [
    'a text gets a rule',
    (of) => (property(body(of), 'name').description = 'Must be short.'),
    'new rule "Must be short."',
  ],
  [
    'a schema that is named is narrower',
    (of) => ((of.components.schemas['Tag'] ?? {}).maxLength = 4),
    'body/tags/items',
  ],
  ['a branch is gone', (of) => property(body(of), 'amount').anyOf.pop(), 'body/amount accepts less'],
  [
    'a schema has another name',
    (of) => {
      of.components.schemas = { NewThing: body(of), Label: of.components.schemas['Tag'] ?? {} };
      property(body(of), 'tags').items = { $ref: '#/components/schemas/Label' };
    },
    'the schema Tag is missing',
  ],
  ['a list has anything', (of) => delete (shown(of).properties['all'] as Schema).items, '201/all may have any items'],
  ['a field of a response is gone', (of) => delete shown(of).properties['at'], '201/at is missing'],
  ['a field of a response may lack', (of) => shown(of).required.pop(), '201 may lack status'],
  ['a field may be null', (of) => (property(shown(of), 'id').type = ['integer', 'null']), '201/id has other types'],
  [
    'a field may be a text',
    (of) => property(shown(of), 'of').anyOf.push({ type: 'string' }),
    '201/of may be something else',
  ],
  ['a field has no format', (of) => delete property(shown(of), 'at')['format'], '201/at has another format'],
  ['an event lacks a field', (of) => delete event(of).properties['id'], 'POST made body/id is missing'],
  ['an event may lack a field', (of) => event(of).required.pop(), 'POST made body may lack id'],
];

const additions: [string, (of: ContractDocument) => unknown][] = [
  ['a path', (of) => (of.paths['/others'] = { get: post(of) })],
  ['a parameter', (of) => post(of).parameters?.push({ name: 'x', in: 'query', schema: {} })],
  ['a field that may be given', (of) => (body(of).properties['more'] = { type: 'string' })],
  ['a field that is not needed any more', (of) => (body(of).required = [])],
  ['a value of a request', (of) => property(body(of), 'status').enum.push('paid')],
  ['wider bounds', (of) => Object.assign(property(body(of), 'count'), { minimum: -1, maximum: 10 })],
  [
    'a longer text that may be null',
    (of) => Object.assign(property(body(of), 'name'), { type: ['string', 'null'], maxLength: 51 }),
  ],
  ['a branch', (of) => property(body(of), 'amount').anyOf.push({ type: 'null' })],
  ['a field of a response', (of) => (shown(of).properties['more'] = { type: 'string' })],
  ['a value of a response', (of) => property(shown(of), 'status').enum.push('sent')],
  ['a field that is never null any more', (of) => property(shown(of), 'of').anyOf.pop()],
  ['a status of a failure', (of) => (post(of).responses['409'] = {})],
  [
    'words',
    (of) => Object.assign(property(shown(of), 'at'), { description: 'Then.', examples: [1], deprecated: true }),
  ],
];

describe('a document in which', () => {
  test.each(breaking)('%s › breaks the contract, and names it', (_, change, sentence) => {
    const now = document();
    change(now);
    const breaks = contractBreaks(document(), now);
    expect(breaks.join('\n')).toContain(sentence);
  });

  test.each(additions)('there is also %s › does not', (_, change) => {
    const now = document();
    change(now);
    expect(now).not.toEqual(document());
    expect(contractBreaks(document(), now)).toEqual([]);
  });
});
