import type { SchemaObject } from 'ajv';
import { eventTypes } from '../../shared/eventTypes';
import type { EventType } from '../../shared/engine/events/recordEvent';
import { groupBy } from '../../shared/engine/records/groupBy';
import { code, table } from './table';

const introduction = `# Types of events

For developers whose program decides by what happened. After reading this page you know every type of event, when it is recorded, and
what its \`data\` says. [events.md](events.md) is about reading them, [webhooks.md](webhooks.md) about having them sent. \`npm run docs\`
generates this page from the types in the code; their schemas are under \`webhooks\` in \`/openapi.json\`.

- A type is never renamed, and its \`data\` only gets further fields. New types are added: ignore those that you do not know.
- \`subject\` is the record that it happened to. E-mails, payments and payment links have their invoice as the subject, and their own ids in
  \`data\`.
- \`data\` has what a program needs to act without another request: the fields of the record as they are after the event. Amounts are
  strings with two decimals.
- A field with \`?\` may be absent. Events that an earlier version recorded may lack further fields.
- A change of a status has its own event beside \`….updated\`, whatever led to it. \`from\` is the status before, or null for a record that was
  created with the new one.
`;

/** Returns `docs/event-types.md`: every type in the registry. */
export function eventTypesPage(): string {
  const sections = [...groupBy(eventTypes, ({ subject }) => subject)].map(([subject, types]) =>
    section(subject, types),
  );
  return [introduction, ...sections].join('\n');
}

function section(subject: string, types: readonly EventType[]): string {
  const rows = types.map(({ type, meaning, data }) => [code(type), meaning, fieldsOf(data)]);
  const notes = notesOf(types);
  const list = notes.length === 0 ? '' : `\n${notes.map((note) => `- ${note}\n`).join('')}`;
  return `## Subject ${code(subject)}\n\n${table([['type', 'recorded when', '`data`'], ...rows])}${list}`;
}

const propertiesOf = (schema: SchemaObject): [string, SchemaObject][] =>
  Object.entries((schema.properties ?? {}) as Record<string, SchemaObject>);

function fieldsOf(schema: SchemaObject): string {
  const required = (schema.required ?? []) as readonly string[];
  return propertiesOf(schema)
    .map(([name]) => code(required.includes(name) ? name : `${name}?`))
    .join(', ');
}

/** Returns the descriptions of fields, each once. */
function notesOf(types: readonly EventType[]): string[] {
  const notes = types.flatMap(({ data }) =>
    propertiesOf(data).flatMap(([name, { description }]) =>
      typeof description === 'string' ? [`${code(name)}: ${description}`] : [],
    ),
  );
  return [...new Set(notes)];
}
