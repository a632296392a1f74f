import { broken, type Finding, ok } from '../../../shared/engine/checks';
import type { Sql } from '../../../shared/engine/db';
import { serverVariables, type ServerVariables } from './serverVariables';

const names = [
  'transaction_isolation',
  'tx_isolation',
  'sql_mode',
  'time_zone',
  'log_bin',
  'binlog_format',
  'read_only',
] as const;

/** Checks that the settings of the service's sessions are in effect: a proxy in between may drop them. */
export async function checkSession(sql: Sql): Promise<Finding> {
  return sessionFinding(await serverVariables(sql, names));
}

/** Judges the settings of a session of the service. */
export function sessionFinding(variables: ServerVariables<(typeof names)[number]>): Finding {
  // MariaDB has the older name before 11.1.
  const isolation = variables.transaction_isolation ?? variables.tx_isolation;
  const wrong = [
    ...(isolation === 'READ-COMMITTED' ? [] : [`the isolation level is ${isolation}`]),
    ...(variables.sql_mode?.includes('STRICT_ALL_TABLES') ? [] : ['sql_mode is not strict']),
    ...(variables.time_zone === '+00:00' ? [] : [`time_zone is ${variables.time_zone}`]),
  ];
  if (wrong.length > 0) {
    return broken(
      `the session settings of the service have no effect: ${wrong.join(', ')}`,
      'Connect to MySQL directly, or through a proxy that keeps one connection for each session.',
    );
  }
  if (variables.read_only === 'ON' || variables.read_only === '1') {
    return broken('the server is read-only', 'Let DATABASE_URL lead to the primary, or switch read_only off.');
  }
  if (variables.log_bin === 'ON' && variables.binlog_format === 'STATEMENT') {
    return broken(
      'binlog_format is STATEMENT, with which MySQL refuses writes in READ COMMITTED',
      'Set binlog_format=ROW (or MIXED) in the configuration of MySQL.',
    );
  }
  return ok('READ COMMITTED, strict, in UTC');
}
