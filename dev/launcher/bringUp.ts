import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { loadConfig } from '../../config/env';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { seedDemo } from '../demo/seedDemo';
import { keptSecret, newSecretsKey } from '../servers/secret';
import { startServers } from '../servers/startServers';
import type { Announcement } from './announce';
import { readEnvFile, writeEnvFile } from './envFile';
import { type Plan, serviceVariables } from './environment';
import { startLocalParts } from './localParts';
import { chooseOperatorPorts, operatorUrl } from './operatorPorts';
import { type PartOptions, startPart } from './part';
import type { Supervisor } from './supervisor';

/**
 * Resolves when `url` responds with a 2xx status.
 * @throws when it does not within `withinMs`, with the last response.
 */
async function waitForHttp(url: string, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const outcome = await ask(url);
    if (outcome === undefined) return;
    if (Date.now() > deadline) throw new Error(`${url} is not ready: ${outcome}`);
    await sleep(50);
  }
}

async function ask(url: string): Promise<string | undefined> {
  try {
    // A kept connection would delay the end of the server.
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000), headers: { Connection: 'close' } });
    const body = await response.text();
    return response.ok ? undefined : `${response.status} ${body.slice(0, 500)}`;
  } catch (error) {
    return String(error);
  }
}

/**
 * Starts an installation: servers, schema, demo company, stand-ins, API and worker. Adds each process to the
 * supervisor. Writes `demo.env` (for people and scripts) and `servers.env` (for the CLI and more workers) to the data
 * folder. Resolves when the API is ready for requests.
 * @throws when a step fails, and the signal's reason when it is aborted between two steps.
 */
export async function bringUp(
  plan: Plan,
  supervisor: Supervisor,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Omit<Announcement, 'seconds'>> {
  const { dataDir, baseUrl, databaseUrl, redisUrl } = plan;
  const start = ({
    variables,
    ...part
  }: Pick<PartOptions, 'name' | 'script'> & { variables: Record<string, string> }) => {
    signal.throwIfAborted();
    const environment = { ...process.env, ...variables };
    return startPart({ ...part, environment, dataDir, stopWithinMs: plan.stopWithinMs, log });
  };

  const [servers, local] = await Promise.all([
    startServers({ databaseUrl, redisUrl, dataDir, log }).then((up) => {
      supervisor.add(...up.started);
      return up;
    }),
    startLocalParts(plan, start, (part) => supervisor.add(part)),
  ]);
  signal.throwIfAborted();

  const secretsKey = keptSecret(join(dataDir, 'secrets-key'), newSecretsKey);
  const variables = serviceVariables(process.env, plan, { ...servers, ...local, secretsKey });
  writeEnvFile(join(dataDir, 'servers.env'), variables);
  const migrated = await migrateUp(servers.databaseUrl);
  if (migrated.length > 0) log(`migrated the database (${migrated.length} steps)`);
  signal.throwIfAborted();

  const demoFile = join(dataDir, 'demo.env');
  const config = loadConfig({ ...process.env, ...variables });
  const facts = await seedDemo({
    config,
    apiToken: process.env['API_TOKEN'] || undefined,
    empty: process.env['DEMO'] === 'empty',
    // The receiver is on this machine.
    ...(config.webhooks.allowPrivate && { receiver: local.receiver }),
  });
  const apiToken = process.env['API_TOKEN'] || (facts.apiToken ?? readEnvFile(demoFile)['API_TOKEN']);
  const operatorPorts = await chooseOperatorPorts(process.env, dataDir);
  const [apiOperatorUrl, workerOperatorUrl] = [operatorUrl(operatorPorts.api), operatorUrl(operatorPorts.worker)];
  writeEnvFile(demoFile, {
    BASE_URL: baseUrl,
    API_TOKEN: apiToken,
    CLIENT_ID: facts.clientId,
    CLIENT_WITHOUT_EMAIL_ID: facts.clientWithoutEmailId,
    CATEGORY_ID: facts.categoryId,
    MAILBOX_URL: local.mailboxUrl,
    GATEWAY_URL: local.gateway?.url,
    RECEIVER_URL: local.receiver.url,
    ENDPOINT_ID: facts.webhookEndpointId,
    OPERATOR_URL: apiOperatorUrl,
    WORKER_OPERATOR_URL: workerOperatorUrl,
  });

  const where = { ...variables, PORT: String(plan.port), HOST: plan.host };
  const at = (port: number) => ({ ...where, OPERATOR_PORT: String(port) });
  const api = start({ name: 'api', script: 'dist/api/index.js', variables: at(operatorPorts.api) });
  const worker = start({ name: 'worker', script: 'dist/workers/index.js', variables: at(operatorPorts.worker) });
  supervisor.add(api, worker);
  await Promise.all([api.ready.then(() => waitForHttp(`${baseUrl}/readyz`)), worker.ready]);
  return {
    dataDir,
    baseUrl,
    apiToken,
    clientId: facts.clientId,
    mailboxUrl: local.mailboxUrl,
    gatewayUrl: local.gateway?.url,
    receiverUrl: local.receiver.url,
    operatorUrl: apiOperatorUrl,
    workerOperatorUrl,
  };
}
