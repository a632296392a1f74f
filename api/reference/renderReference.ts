import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Eta } from 'eta';
import { projectRoot } from '../../config/paths';
import { Fields } from './fields';
import { operationView, type OperationView } from './OperationView';
import { nameIn, type Operation, type Reference, type ReferenceDocument } from './ReferenceDocument';
import type { Response, Schema } from './ReferenceDocument';

/** The folder of the page's templates, style and script, which are not compiled. */
export const pageDir = join(projectRoot, 'api', 'reference', 'page');

const eta = new Eta({ views: pageDir, autoEscape: true, cache: true });

/** The URLs of the style and the script in the page. */
export interface Assets {
  style: string;
  script: string;
}

/** Returns the page of an OpenAPI document. Yields to the event loop between its parts. */
export async function renderReference(document: ReferenceDocument, assets: Assets): Promise<string> {
  const { tags, paths, webhooks, components, servers, info } = document;
  const operations: OperationView[] = [];
  const rendered = new Map<string, string>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const view = operationView([method, path], operation, document);
      operations.push(view);
      rendered.set(view.id, eta.render('./operation.eta', view));
      await nextTurn();
    }
  }
  const fields = new Fields(components.schemas, false);
  const objects = namesOfObjects(document, fields).map((name) => ({
    name,
    fields: fields.of(components.schemas[name] ?? {}),
  }));
  const objectsHtml = eta.render('./objects.eta', { objects });
  await nextTurn();
  const events = Object.entries(webhooks).map(([type, { post }]) => ({
    type,
    meaning: post.summary,
    fields: fields.of(dataOf(post, fields)),
  }));
  const eventsHtml = eta.render('./events.eta', { events });
  await nextTurn();
  const groups = tags.map((tag) => ({
    ...tag,
    id: tag.name.toLowerCase().replaceAll(' ', '-'),
    operations: operations.filter((operation) => operation.tag === tag.name),
  }));
  return eta.render('./page.eta', {
    ...{ info, assets, groups, rendered, events, eventsHtml, objects, objectsHtml },
    serverUrl: servers[0]?.url,
    failures: failuresOf(document),
    codes: components.schemas['ErrorCode']?.enum ?? [],
  });
}

/** The responses of all operations, with their statuses. */
const responsesOf = ({ paths }: ReferenceDocument): [string, Response | Reference][] =>
  Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.entries(responses)),
  );

/** The objects that responses consist of, in alphabetical order. */
function namesOfObjects(document: ReferenceDocument, fields: Fields): string[] {
  const found = new Set<string>();
  const visit = (schema: Schema): void => {
    if (schema.$ref !== undefined) {
      const name = nameIn(schema.$ref);
      if (found.has(name)) return;
      found.add(name);
    }
    const { properties = {}, items, anyOf = [], additionalProperties: further } = fields.resolved(schema);
    for (const one of [...Object.values(properties), ...anyOf, items, further]) if (typeof one === 'object') visit(one);
  };
  visit({ $ref: 'Problem' });
  for (const [, response] of responsesOf(document)) {
    if ('$ref' in response) continue;
    for (const { schema } of Object.values(response.content ?? {})) visit(schema);
  }
  return [...found].filter((name) => document.components.schemas[name]?.properties !== undefined).sort();
}

/** The schema of an event's `data` in the body of a webhook. */
function dataOf({ requestBody }: Operation, fields: Fields): Schema {
  const dataIn = (schema: Schema): Schema => fields.resolved(schema).properties?.['data'] ?? {};
  return dataIn(dataIn(requestBody?.content['application/json']?.schema ?? {}));
}

/** The failures that operations have in common, by status. */
function failuresOf(document: ReferenceDocument): { status: string; description: string }[] {
  const names = new Map(
    responsesOf(document).flatMap(([status, response]) =>
      '$ref' in response ? [[status, nameIn(response.$ref)] as const] : [],
    ),
  );
  return [...names]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, name]) => ({ status, description: document.components.responses[name]?.description ?? '' }));
}
