import { Option, type Command } from 'commander';
import { readConfig } from '../../config/env';
import { type CheckResult, runChecks } from '../../shared/engine/checks';
import type { Output } from '../output';
import { configurationCheck, productionCheck, type Role } from './configuration';
import { fileChecks } from './files';
import { mysqlChecks } from './mysql';
import { redisChecks } from './redis';
import { report } from './report';
import { secretsCheck } from './secrets';
import { runWorkerChecks } from './workerChecks';

const description =
  'Checks everything that an installation needs: configuration, MySQL, Redis, files, Chromium, mail and gateway. Says what is ' +
  'wrong and what to do. Exit code 1 if something is broken; warnings alone exit with 0.';

const examples = `
Examples:
  doctor                     one line for each check on a terminal, JSON in a pipe
  doctor --role api          on a machine that runs only the API: no Chromium, mail and gateway
  doctor | jq '.checks[] | select(.status == "broken")'
`;

/** The command `doctor`: checks the environment and every service that it names. */
export function addDoctorCommand(program: Command, output: Output): void {
  program
    .command('doctor')
    .description(description)
    .addOption(new Option('--role <role>', 'check for one role (default: both)').choices(['api', 'worker']))
    .addHelpText('after', examples)
    .action(async ({ role }: { role?: Role }) => {
      const results = await examine(role === undefined ? ['api', 'worker'] : [role]);
      await report(results, output);
    });
}

/** Runs all checks for these roles, those of workers in a process of their own at the same time. */
async function examine(roles: readonly Role[]): Promise<CheckResult[]> {
  const read = roles.map((role) => ({ role, ...readConfig(role) }));
  const wrongVariables = new Set(read.flatMap(({ problems }) => problems.map(({ variable }) => variable)));
  const { config } = readConfig('tool');
  const mysql = mysqlChecks(config);
  const redis = redisChecks(config);
  const checks = [
    ...read.map((one) => configurationCheck(one.role, one)),
    ...(roles.includes('api') ? [productionCheck(config)] : []),
    ...mysql.checks,
    secretsCheck(config, mysql.sql, mysql.migrations),
    ...redis.checks,
    ...fileChecks(config, mysql.sql, mysql.connection),
  ];
  try {
    const [own, ofWorker] = await Promise.all([
      runChecks(checks, { wrongVariables }),
      roles.includes('worker') ? runWorkerChecks() : [],
    ]);
    return [...own, ...ofWorker];
  } finally {
    redis.close();
    await mysql.close();
  }
}
