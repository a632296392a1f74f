import type { SchemaObject } from 'ajv';
import { line, recordId } from '../engine/schemas';

/** The columns of a row about one client. */
export const clientColumns = {
  clientId: recordId,
  client: { ...line(255), description: 'The name that the client has now.' },
};

/** The column that counts the records of a row. */
export const countColumn = (description: string): SchemaObject => ({ type: 'integer', minimum: 0, description });
