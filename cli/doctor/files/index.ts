import type { Config } from '../../../config/env';
import type { Check } from '../../../shared/engine/checks';
import type { Sql } from '../../../shared/engine/db';
import { openFileStore } from '../../../shared/engine/files';
import { checkAccess } from './access';
import { checkDiskSpace } from './diskSpace';
import { checkIdentity } from './identity';

const variables = ['FILES_STORE', 'S3_BUCKET', 'S3_REGION', 'S3_ENDPOINT', 'S3_PREFIX'] as const;
const credentials = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/** The checks of the file store. `database` is the check of the connection that `sql` uses. */
export function fileChecks({ files }: Config, sql: Sql, database: Check): readonly Check[] {
  const store = openFileStore(files);
  const needed = { variables: [...variables, ...credentials] };
  return [
    { ...needed, name: 'files: identity', needs: database, run: () => checkIdentity(store, sql) },
    { ...needed, name: 'files: access', run: () => checkAccess(store) },
    ...(files.store === 'local'
      ? [{ ...needed, name: 'files: free space', run: () => checkDiskSpace(files.dir) }]
      : []),
  ];
}
