import { withDatabase } from '../withDatabase';

/** Returns the version of the configured server, for example `8.4.6` or `11.8.3-MariaDB`. */
export async function serverVersion(): Promise<string> {
  const [row] = await withDatabase(({ sql }) => sql.rows<{ version: string }>('SELECT VERSION() AS version'));
  return row?.version ?? '';
}
