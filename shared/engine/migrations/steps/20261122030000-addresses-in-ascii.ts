import { QueryTypes } from 'sequelize';
import { asciiAddress } from '../../../../config/emailAddress';
import type { SchemaChange } from './Migration';

/**
 * Addresses with an internationalised domain are stored in ASCII. Going down does not change them back: the ASCII form is
 * the same address.
 */
const addressesInAscii: SchemaChange = {
  up: async (sql) => {
    for (const table of ['companies', 'clients']) {
      const rows = await sql.query<{ id: number; email: string }>(
        `SELECT id, email FROM ${table} WHERE LENGTH(email) <> CHAR_LENGTH(email)`,
        { type: QueryTypes.SELECT },
      );
      for (const { id, email } of rows) {
        await sql.query(`UPDATE ${table} SET email = ? WHERE id = ?`, { replacements: [asciiAddress(email), id] });
      }
    }
  },
  down: () => Promise.resolve(),
};

export default addressesInAscii;
