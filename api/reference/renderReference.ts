import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Eta } from 'eta';
import { projectRoot } from '../../config/paths';
import { Fields } from './fields';
import { operationView, type OperationView } from './OperationView';
import { nameIn, type Operation, type ReferenceDocument, type Schema } from './ReferenceDocument';

/** The templates, the style and the script of the page, read from the sources also when the compiled code runs. */
export const pageDir = join(projectRoot, 'api', 'reference', 'page');

const eta = new Eta({ views: pageDir, autoEscape: true, cache: true });

/** The addresses of the style and the script, as the page writes them. */
export interface Assets {
  style: string;
  script: string;
}

/** Returns the page of an OpenAPI document. Its parts are rendered in turns of the event loop of their own. */
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
  const objects = namesOfObjects(document).map((name) => ({ name, fields: fields.of(components.schemas[name] ?? {}) }));
  const objectsHtml = eta.render('./objects.eta', { objects });
  await nextTurn();
  const events = Object.entries(webhooks).map(([type, { post }]) => ({
    type,
    meaning: post.summary,
    fields: fields.of(dataOf(post, components.schemas)),
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

/** The objects that responses consist of, in alphabetical order. */
function namesOfObjects({ paths, components: { schemas } }: ReferenceDocument): string[] {
  const found = new Set(['Problem']);
  const visit = (schema: Schema): void => {
    const name = schema.$ref === undefined ? null : nameIn(schema.$ref);
    if (name !== null) {
      if (found.has(name)) return;
      found.add(name);
    }
    const {
      properties = {},
      items,
      anyOf = [],
      additionalProperties: further,
    } = name === null ? schema : (schemas[name] ?? {});
    const inner = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])];
    for (const one of inner) visit(one);
    if (typeof further === 'object') visit(further);
  };
  visit(schemas['Problem'] ?? {});
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const response of Object.values(operation.responses)) {
      if ('$ref' in response) continue;
      for (const { schema } of Object.values(response.content ?? {})) visit(schema);
    }
  }
  return [...found].filter((name) => schemas[name]?.properties !== undefined).sort();
}

/** The schema of what an event says of its subject, within the event that a webhook sends. */
function dataOf({ requestBody }: Operation, schemas: Readonly<Record<string, Schema>>): Schema {
  const resolved = (schema: Schema | undefined): Schema =>
    schema?.$ref === undefined ? (schema ?? {}) : (schemas[nameIn(schema.$ref)] ?? {});
  const webhook = resolved(requestBody?.content['application/json']?.schema);
  return resolved(resolved(webhook.properties?.['data']).properties?.['data']);
}

/** The failures that operations have in common, by status. */
function failuresOf({
  paths,
  components: { responses },
}: ReferenceDocument): { status: string; description: string }[] {
  const names = new Map<string, string>();
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if ('$ref' in response) names.set(status, nameIn(response.$ref));
    }
  }
  return [...names]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, name]) => ({ status, description: responses[name]?.description ?? '' }));
}
