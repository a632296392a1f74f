import { broken, type Finding, ok, warning } from '../../../shared/engine/checks';
import type { Sql } from '../../../shared/engine/db';
import { serverVariables, type ServerVariables } from './serverVariables';

type Settings = ServerVariables<(typeof names)[number]>;

const names = ['innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', 'innodb_doublewrite'] as const;

/** Checks that MySQL writes a commit to disk before it confirms it. Otherwise a power cut loses data that the API has confirmed. */
export async function checkDurability(sql: Sql): Promise<Finding> {
  return durabilityFinding(await serverVariables(sql, names));
}

/** Judges the settings of the server. */
export function durabilityFinding(settings: Settings): Finding {
  const { innodb_flush_log_at_trx_commit: flush, log_bin: binaryLog, sync_binlog: syncBinlog } = settings;
  const { innodb_doublewrite: doublewrite = 'ON' } = settings;
  // 3 is MariaDB's, and flushes at least as often as 1.
  if (flush !== '1' && flush !== '3') {
    return broken(
      `innodb_flush_log_at_trx_commit is ${flush}: a crash of the machine loses about a second of confirmed requests`,
      'Set innodb_flush_log_at_trx_commit=1 in the configuration of MySQL.',
    );
  }
  // With a binary log, InnoDB relies on it for committed transactions.
  if (binaryLog === 'ON' && syncBinlog !== '1') {
    return broken(
      `sync_binlog is ${syncBinlog}: a crash of the machine loses commits that are not in the binary log yet`,
      'Set sync_binlog=1 in the configuration of MySQL.',
    );
  }
  if (doublewrite === 'OFF' || doublewrite === '0') {
    return warning(
      'innodb_doublewrite is off: a crash of the machine may leave pages half written',
      'Set innodb_doublewrite=ON, unless the file system writes pages atomically.',
    );
  }
  return ok('commits are on disk before they are confirmed');
}
