import { installMissingServers } from '../../dev/servers/installSystemPackages';
import { startThrowAwayServers, type ThrowAwayServers } from '../../dev/servers/throwAwayServers';
import { makeSchemaTemplate, type SchemaTemplate } from './schemaTemplate';

declare global {
  var throwAwayServers: ThrowAwayServers | undefined;
  var schemaTemplate: SchemaTemplate | undefined;
}

/**
 * Starts the MySQL and the Redis of this run. The tests find them in TEST_MYSQL_URL (no database in it) and TEST_REDIS_URL;
 * when both are set already, those are used and left running. TEST_SCHEMA_TEMPLATE is the database that theirs are copied from.
 */
export default async function globalSetup(): Promise<void> {
  if (!process.env['TEST_MYSQL_URL'] || !process.env['TEST_REDIS_URL']) {
    const log = (line: string) => process.stderr.write(`${line}\n`);
    await installMissingServers(['mysql', 'redis'], log);
    const servers = await startThrowAwayServers(log);
    process.env['TEST_MYSQL_URL'] = servers.mysqlUrl;
    process.env['TEST_REDIS_URL'] = servers.redisUrl;
    globalThis.throwAwayServers = servers;
  }
  const template = await makeSchemaTemplate(process.env['TEST_MYSQL_URL'].replace(/\/+$/, ''));
  process.env['TEST_SCHEMA_TEMPLATE'] = template.database;
  globalThis.schemaTemplate = template;
}
