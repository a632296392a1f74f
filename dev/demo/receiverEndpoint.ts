import type { UnitOfWork } from '../../shared/engine/db/unitOfWork';
import type { Services } from '../../shared/services';
import { createWebhookEndpoint, updateWebhookEndpoint } from '../../shared/webhooks';

/** The receiver of the demo company's webhooks. */
export interface Receiver {
  endpointUrl: string;
  secret: string;
}

type Tools = Pick<Services, 'secrets' | 'config'>;

/** Identifies the endpoint at the next start. */
const DESCRIPTION = 'The event receiver of npm start';

/** Creates the endpoint that sends all events to the receiver. Returns its id. */
export async function createReceiverEndpoint(uow: UnitOfWork, receiver: Receiver, tools: Tools): Promise<number> {
  const { endpointUrl: url, secret } = receiver;
  return (await createWebhookEndpoint(uow, { url, description: DESCRIPTION, secret }, tools)).id;
}

/**
 * Updates the URL of the endpoint of {@link createReceiverEndpoint} if the receiver's port has changed. Returns its id,
 * or 0 if it was deleted.
 */
export async function updateReceiverEndpoint(
  uow: UnitOfWork,
  { endpointUrl: url }: Receiver,
  tools: Tools,
): Promise<number> {
  const [known] = await uow.sql.rows<{ id: number; url: string }>(
    'SELECT id, url FROM webhook_endpoints WHERE companyId = ? AND description = ? AND softDelete = 0 ORDER BY id LIMIT 1',
    [uow.companyId, DESCRIPTION],
  );
  if (known === undefined) return 0;
  if (known.url !== url) await updateWebhookEndpoint(uow, known.id, { url }, null, tools);
  return known.id;
}
