import type { SchemaObject } from 'ajv';
import { eventTypes } from '../../shared/eventTypes';
import type { Sql } from '../../shared/engine/db/sql';
import { bodyValidator } from '../../shared/engine/schemas/ajv';

const validators = new Map(eventTypes.map(({ type, data }) => [type, bodyValidator(strictly(data))]));

/** The schema, with no other fields than those that it names. */
function strictly(schema: SchemaObject): SchemaObject {
  const { properties } = schema as { properties?: Record<string, SchemaObject> };
  if (properties === undefined) return schema;
  const strict = Object.entries(properties).map(([name, property]) => [name, strictly(property)]);
  return { ...schema, additionalProperties: false, properties: Object.fromEntries(strict) as object };
}

/** The types of all events that are recorded. */
export async function recordedTypes(sql: Sql): Promise<string[]> {
  return (await sql.rows<{ type: string }>('SELECT DISTINCT type FROM events')).map(({ type }) => type);
}

/** What is wrong with the recorded events: types that are not in the registry, and data that its schema does not describe. */
export async function wrongEvents(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ type: string; subjectType: string; data: string }>(
    'SELECT type, subjectType, data FROM events',
  );
  return rows.flatMap(({ type, subjectType, data }) => {
    const registered = eventTypes.find((one) => one.type === type);
    if (registered === undefined) return [`${type} is not registered`];
    if (registered.subject !== subjectType) return [`${type} has the subject ${subjectType}`];
    try {
      validators.get(type)?.(JSON.parse(data));
      return [];
    } catch (error) {
      return [`${type}: ${(error as Error).message}: ${data}`];
    }
  });
}
