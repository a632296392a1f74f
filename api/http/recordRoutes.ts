import type { SchemaObject } from 'ajv';
import type { Model } from 'sequelize';
import type { Scope } from '../../shared/apiKeys';
import type { UnitOfWork } from '../../shared/engine/db';
import {
  type ListQuery,
  mapEach,
  mapPage,
  type Presenter,
  readRecord,
  type RecordKind,
  type RecordList,
} from '../../shared/engine/records';
import type { Services } from '../../shared/services';
import { cursorListOf, getQuery, listOf } from '../../shared/engine/schemas';
import { messageSchema } from './message';
import type { Tag } from './openapi/tags';
import { created, ok } from './routing/RouteResponse';
import { type RequestExample, route, type Route } from './routing/Route';

type AnyModel = Model & { id: number; updatedAt: Date; softDelete: boolean };

/** The differences between the kinds of records in their five operations. */
export interface RecordRoutes<
  M extends AnyModel,
  Row extends { id: number },
  Input extends object,
  Created extends Row = Row,
> {
  readonly kind: RecordKind<M, Row>;
  readonly list: RecordList<Row>;
  readonly record: { readonly newBody: SchemaObject; readonly changesBody: SchemaObject };
  readonly tag: Tag;
  /** `Expense`, `Expenses`: used in the ids of the operations and, as words, in their descriptions. */
  readonly names: { readonly one: string; readonly many: string };
  /** The summary of each operation but the list. */
  readonly summaries: Readonly<Record<'create' | 'get' | 'update' | 'delete', string>>;
  /** How a record is shown in a list, alone, and after a change. */
  readonly present: Readonly<Record<'listed' | 'alone' | 'changed', Presenter<Row>>>;
  /** How a new record is shown, where it shows a secret that is never shown again. */
  readonly presentNew?: Presenter<Created>;
  /** What reading and changing need, where it is not `read` and `write`. */
  readonly scope?: Scope;
  create(uow: UnitOfWork, input: Input, services: Services): Promise<Created>;
  update(
    uow: UnitOfWork,
    id: number,
    changes: Partial<Input>,
    ifMatch: string | null,
    services: Services,
  ): Promise<Row>;
  delete(uow: UnitOfWork, id: number, ifMatch: string | null): Promise<void>;
  /** Checks of a body that a schema cannot express. */
  check?(body: Partial<Input>): void;
  /** When a create or an update is a conflict. */
  readonly conflict?: string;
  readonly examples: RecordExamples<Input>;
}

/** The examples of the five operations, see {@link RequestExample}. */
interface RecordExamples<Input> {
  readonly list: NonNullable<RequestExample['query']>;
  readonly create: Partial<Input>;
  readonly get: number;
  /** The record, and what changes of it. */
  readonly update: readonly [number, Partial<Input>];
  readonly delete: number;
}

/** Returns the operations that every kind of record has: list, create, get, update and delete. */
export function recordRoutes<
  M extends AnyModel,
  Row extends { id: number },
  Input extends object,
  Created extends Row = Row,
>(of: RecordRoutes<M, Row, Input, Created>): Route[] {
  const { kind, list, record, tag, names, summaries, present, presentNew, conflict, examples } = of;
  const { read, write } =
    of.scope === undefined ? ({ read: 'read', write: 'write' } as const) : { read: of.scope, write: of.scope };
  const { batches } = list;
  const { listed } = present;
  const path = `/api/${kind.table.replaceAll('_', '-')}`;
  const [what, many] = [wordsOf(names.one), wordsOf(names.many)];
  const presentCreated: Presenter<Created> = presentNew ?? present.changed;
  const withETag = (row: Row): Record<string, string> => ({ ETag: kind.tagOf(row) });
  const check = of.check && { check: (body: object) => of.check?.(body) };
  const otherVersion = { 412: '`If-Match` does not match.' };
  const conflicts: Record<number, string> = conflict === undefined ? {} : { 409: conflict };
  return [
    route<unknown, ListQuery>({
      operationId: `list${names.many}`,
      method: 'GET',
      path,
      scope: read,
      tag,
      summary: `List ${many}; \`search\` is a substring of ${list.searches}`,
      query: list.query,
      example: { query: examples.list },
      success: {
        status: 200,
        description: `A page of ${many}`,
        schema: batches === undefined ? listOf(listed.schema) : cursorListOf(listed.schema),
      },
      handle: async ({ services, companyId, query }) =>
        ok(mapPage(await list.read(services.sql, companyId, query), listed)),
      ...(batches && {
        csv: {
          kind: many.replaceAll(' ', '-'),
          row: listed.schema,
          batches: ({ services, companyId, query }) =>
            mapEach(batches(services.sql, companyId, query), (rows) => rows.map(listed)),
        },
      }),
    }),
    route<Input>({
      operationId: `create${names.one}`,
      method: 'POST',
      path,
      scope: write,
      tag,
      summary: summaries.create,
      body: record.newBody,
      example: { body: examples.create },
      ...check,
      ...(presentNew && { secretResponse: true }),
      success: {
        headers: ['Location', 'ETag'],
        status: 201,
        description: `The created ${what}`,
        schema: presentCreated.schema,
      },
      failures: conflicts,
      handle: (call) =>
        call.inUnitOfWork(async (uow) => {
          const row = await of.create(uow, call.body, call.services);
          return created(presentCreated(row), { Location: `${path}/${row.id}`, ...withETag(row) });
        }),
    }),
    route<unknown, { includeDeleted: boolean }>({
      operationId: `get${names.one}`,
      method: 'GET',
      path: `${path}/{id}`,
      scope: read,
      tag,
      summary: summaries.get,
      query: getQuery,
      example: { path: { id: examples.get } },
      success: { headers: ['ETag'], status: 200, description: `The ${what}`, schema: present.alone.schema },
      handle: async ({ services, companyId, id, query }) => {
        const row = await readRecord(services.sql, companyId, kind, id, query);
        return ok(present.alone(row), withETag(row));
      },
    }),
    route<Partial<Input>>({
      operationId: `update${names.one}`,
      method: 'PUT',
      path: `${path}/{id}`,
      scope: write,
      tag,
      summary: summaries.update,
      body: record.changesBody,
      example: { path: { id: examples.update[0] }, body: examples.update[1] },
      ...check,
      success: { headers: ['ETag'], status: 200, description: `The updated ${what}`, schema: present.changed.schema },
      failures: { ...conflicts, ...otherVersion },
      handle: (call) =>
        call.inUnitOfWork(async (uow) => {
          const row = await of.update(uow, call.id, call.body, call.preconditions.ifMatch, call.services);
          return ok(present.changed(row), withETag(row));
        }),
    }),
    route({
      operationId: `delete${names.one}`,
      method: 'DELETE',
      path: `${path}/{id}`,
      scope: write,
      tag,
      summary: summaries.delete,
      example: { path: { id: examples.delete } },
      success: { status: 200, description: 'Deleted', schema: messageSchema },
      failures: otherVersion,
      handle: (call) =>
        call.inUnitOfWork(async (uow) => {
          await of.delete(uow, call.id, call.preconditions.ifMatch);
          return ok({ message: `${what.charAt(0).toUpperCase()}${what.slice(1)} deleted successfully` });
        }),
    }),
  ];
}

/** `WebhookEndpoint`: `webhook endpoint`. */
function wordsOf(name: string): string {
  return name.replace(/\B[A-Z]/g, ' $&').toLowerCase();
}
