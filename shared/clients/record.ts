import {
  assigned,
  type ChangesOf,
  describeList,
  describeRecord,
  entityTag,
  equal,
  flag,
  type InputOf,
  nullable,
  optional,
  presenter,
  type RecordKind,
  required,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import { email, line, locale, nameLine, recordId, text } from '../engine/schemas';
import { Client } from './Client';
import { clientEvents, type ClientFacts } from './events';

const fields = {
  id: assigned(value(recordId)),
  companyId: assigned(value(recordId)),
  name: required(value(nameLine(255))),
  email: optional(nullable(value(email)), null),
  phone: optional(nullable(value(line(50))), null),
  address: optional(nullable(value(text(1000, 20))), null),
  taxId: optional(nullable(value(line(100))), null),
  /** The language of this client's documents; null: the company's. */
  locale: optional(nullable(value(locale)), null),
  /** Whether reminders of due invoices are sent to this client. */
  reminders: optional(flag, 1),
  softDelete: assigned(flag),
  createdAt: assigned(timestamp),
  updatedAt: assigned(timestamp),
};

export type ClientRecord = RowOf<typeof fields>;
export type ClientInput = InputOf<typeof fields>;
export type ClientChanges = ChangesOf<typeof fields>;

export const client = describeRecord('Client', fields);
export const presentClient = presenter(fields, { title: 'Client' });

export const clientKind: RecordKind<Client, ClientRecord, ClientFacts> = {
  name: 'client',
  table: 'clients',
  alias: 'c',
  columns: client.columnsOf('c'),
  isDeletable: true,
  model: Client,
  tagOf: ({ updatedAt }) => entityTag(updatedAt),
  changeable: client.changeable,
  events: clientEvents,
  facts: ({ name }) => ({ name }),
  counted: 'client',
};

/** A company's clients. */
export const clientList = describeList<typeof fields, ClientRecord>(clientKind, {
  sortBy: ['id', 'name', 'email', 'createdAt', 'updatedAt'],
  defaultSort: 'createdAt',
  cursorBy: ['id', 'createdAt', 'updatedAt'],
  search: ['name', 'email'],
  filters: { externalId: equal('externalId', line(100, 1)) },
  indexes: {
    id: 'PRIMARY',
    name: 'clients_by_name',
    createdAt: 'clients_by_created',
    updatedAt: 'clients_by_updated',
  },
  counted: { kind: 'client' },
});
