import type { Config } from '../../config/env';
import { ApiKey, models } from '../../shared/models';
import { openDatabase } from '../../shared/engine/db/sequelize';
import { installationWork, type InstallationWork, type UnitOfWork } from '../../shared/engine/db/unitOfWork';
import { SecretBox } from '../../shared/engine/secrets/SecretBox';
import { createApiKey, hashToken, scopes } from '../../shared/apiKeys';
import { createDemoCompany } from './createDemoCompany';
import type { Services } from '../../shared/services';
import { createWebhookEndpoint, updateWebhookEndpoint } from '../../shared/webhooks';

/**
 * The records that `npm start` reports. An id is 0 if the first company, which may be the user's own, has no such
 * record.
 */
export interface DemoFacts {
  /** The token of a key that this call created; null for an earlier key, of which only the hash is stored. */
  apiToken: string | null;
  clientId: number;
  clientWithoutEmailId: number;
  categoryId: number;
  webhookEndpointId: number;
}

export interface DemoOptions {
  config: Config;
  /** Becomes the key of the company, with all scopes; undefined: a new database gets a random one. */
  apiToken: string | undefined;
  /** Leaves the invoices and expenses out. */
  empty: boolean;
  /** Receives the events of the company. Absent: the company has no webhook endpoint. */
  receiver?: Receiver;
}

const actor = 'demo';

/**
 * Creates the demo company in one transaction if the database has no company. Otherwise only creates the key of
 * `apiToken`, if it is missing. Safe to call at every start.
 * @throws when `apiToken` was revoked, has expired or is another company's key.
 */
export async function seedDemo({ config, apiToken, empty, receiver }: DemoOptions): Promise<DemoFacts> {
  const tools = { config, secrets: new SecretBox(config.secretsKeys) };
  const sequelize = openDatabase({ ...config, databasePoolSize: 2 }, models);
  const perform = <T>(work: (work: InstallationWork) => Promise<T>): Promise<T> =>
    installationWork(sequelize, { now: () => new Date() }, actor, work);
  try {
    const known = await perform(firstCompany);
    if (known !== null) {
      if (apiToken !== undefined) await perform((work) => ensureKey(work.forCompany(known), apiToken));
      return await perform(async (work) => {
        const uow = work.forCompany(known);
        const webhookEndpointId = receiver === undefined ? 0 : await updateReceiverEndpoint(uow, receiver, tools);
        return { apiToken: null, ...(await factsOf(uow)), webhookEndpointId };
      });
    }
    // The examples name company 1, and an attempt that was rolled back has used ids.
    for (const table of ['companies', 'clients', 'categories', 'invoices', 'expenses', 'webhook_endpoints']) {
      await sequelize.query(`ALTER TABLE ${table} AUTO_INCREMENT = 1`);
    }
    return await perform(async (work) => {
      const uow = await createDemoCompany(work, { empty });
      const key = await createApiKey(uow, { name: 'demo', scopes, ...(apiToken !== undefined && { token: apiToken }) });
      const webhookEndpointId = receiver === undefined ? 0 : await createReceiverEndpoint(uow, receiver, tools);
      return { apiToken: apiToken === undefined ? key.token : null, ...(await factsOf(uow)), webhookEndpointId };
    });
  } finally {
    await sequelize.close();
  }
}

async function firstCompany({ sql }: InstallationWork): Promise<number | null> {
  const [company] = await sql.rows<{ id: number }>('SELECT id FROM companies ORDER BY id LIMIT 1');
  return company?.id ?? null;
}

async function factsOf({ sql, companyId }: UnitOfWork): Promise<Omit<DemoFacts, 'apiToken' | 'webhookEndpointId'>> {
  const [first] = await sql.rows<Record<'clientId' | 'clientWithoutEmailId' | 'categoryId', number | null>>(
    `SELECT
       (SELECT MIN(id) FROM clients WHERE companyId = ? AND softDelete = 0 AND email IS NOT NULL) AS clientId,
       (SELECT MIN(id) FROM clients WHERE companyId = ? AND softDelete = 0 AND email IS NULL) AS clientWithoutEmailId,
       (SELECT MIN(id) FROM categories WHERE companyId = ? AND softDelete = 0) AS categoryId`,
    [companyId, companyId, companyId],
  );
  return {
    clientId: first?.clientId ?? 0,
    clientWithoutEmailId: first?.clientWithoutEmailId ?? 0,
    categoryId: first?.categoryId ?? 0,
  };
}

/**
 * Creates a key of the company with this token and all scopes, unless it exists.
 * @throws {Error} for a key that was revoked, has expired or belongs to another company.
 */
async function ensureKey(uow: UnitOfWork, token: string): Promise<void> {
  const key = await ApiKey.findOne({ where: { tokenHash: hashToken(token) }, transaction: uow.transaction });
  if (key === null) {
    await createApiKey(uow, { name: 'API_TOKEN', scopes, token });
    return;
  }
  const expired = key.expiresAt !== null && key.expiresAt <= uow.now;
  if (key.companyId !== uow.companyId || key.revokedAt !== null || expired) {
    throw new Error('API_TOKEN is a key that was revoked, has expired or belongs to another company; choose another');
  }
}

/** The receiver of the demo company's webhooks. */
export interface Receiver {
  endpointUrl: string;
  secret: string;
}

type Tools = Pick<Services, 'secrets' | 'config'>;

/** Identifies the endpoint at the next start. */
const DESCRIPTION = 'The event receiver of npm start';

/** Creates the endpoint that sends all events to the receiver. Returns its id. */
async function createReceiverEndpoint(uow: UnitOfWork, receiver: Receiver, tools: Tools): Promise<number> {
  const { endpointUrl: url, secret } = receiver;
  return (await createWebhookEndpoint(uow, { url, description: DESCRIPTION, secret }, tools)).id;
}

/**
 * Updates the URL of the endpoint of {@link createReceiverEndpoint} if the receiver's port has changed. Returns its id,
 * or 0 if it was deleted.
 */
async function updateReceiverEndpoint(uow: UnitOfWork, { endpointUrl: url }: Receiver, tools: Tools): Promise<number> {
  const [known] = await uow.sql.rows<{ id: number; url: string }>(
    'SELECT id, url FROM webhook_endpoints WHERE companyId = ? AND description = ? AND softDelete = 0 ORDER BY id LIMIT 1',
    [uow.companyId, DESCRIPTION],
  );
  if (known === undefined) return 0;
  if (known.url !== url) await updateWebhookEndpoint(uow, known.id, { url }, null, tools);
  return known.id;
}
