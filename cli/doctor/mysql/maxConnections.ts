import { broken, type Finding, ok } from '../../../shared/engine/checks';
import type { Sql } from '../../../shared/engine/db';
import { serverVariables } from './serverVariables';

/** Checks that MySQL accepts the connections of one API and one worker, the least that an installation has. */
export async function checkMaxConnections(sql: Sql, poolSize: number): Promise<Finding> {
  const variables = await serverVariables(sql, ['max_connections', 'max_user_connections']);
  const ofServer = Number(variables.max_connections);
  // 0 is no limit of the account's own.
  const ofAccount = Number(variables.max_user_connections) || ofServer;
  const limit = Math.min(ofServer, ofAccount);
  // A worker renews its leases on a connection of its own.
  const needed = 2 * poolSize + 1;
  if (limit >= needed) return ok(`${limit} connections; one API and one worker use up to ${needed}`);
  return broken(
    `MySQL accepts ${limit} connections; one API and one worker use up to ${needed}`,
    `Raise ${ofAccount < ofServer ? 'max_user_connections' : 'max_connections'} of MySQL, or lower DATABASE_POOL_SIZE.`,
  );
}
