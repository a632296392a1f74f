import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { bareDatabase, rows, run } from './bareDatabase';
import { bareTransaction } from './bareTransaction';
import { bodyText } from './bodyText';
import { runBareServer } from './runBareServer';

const token = process.env['CALLBACK_TOKEN'] ?? '';
const pool = bareDatabase();
const linkOf = `SELECT companyId, id, status, gatewayId, EXISTS (
    SELECT 1 FROM payments p WHERE p.companyId = l.companyId AND p.gatewayId = ?) AS isKnown
  FROM payment_links l WHERE provider = 'xendit' AND reference = ?`;
const insertJob = `INSERT INTO jobs (companyId, name, queue, payload, dedupeKey, status, attempt, uncounted, maxAttempt,
    availableAt, relayAt, createdAt, updatedAt)
  VALUES (?, 'bare', 'bare', ?, ?, 'done', 0, 0, 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`;

runBareServer(async (ctx) => {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(digest(ctx.get('x-callback-token')), digest(token))) return;
  const { id, external_id: reference } = JSON.parse(await bodyText(ctx.req)) as { id: string; external_id: string };
  const [link] = await rows<{ companyId: string; id: string }>(pool, linkOf, [id, reference]);
  if (link === undefined) return;
  const payload = JSON.stringify({ paymentLinkId: link.id });
  await bareTransaction(pool, (connection) => run(connection, insertJob, [link.companyId, payload, randomUUID()]));
  ctx.body = { message: 'Received' };
});
