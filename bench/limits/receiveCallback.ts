import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { bareDatabase, rows, run } from './bareDatabase';
import { bareTransaction } from './bareTransaction';
import { bodyText } from './bodyText';
import { runBareServer } from './runBareServer';

const token = process.env['CALLBACK_TOKEN'] ?? '';
const pool = bareDatabase();
const linkOf = "SELECT companyId, id, status, gatewayId FROM payment_links WHERE provider = 'xendit' AND reference = ?";
const paymentOf = 'SELECT COUNT(*) AS payments FROM payments WHERE companyId = ? AND gatewayId = ?';
const insertJob = `INSERT INTO jobs (companyId, name, queue, payload, dedupeKey, status, attempt, uncounted, maxAttempt,
    availableAt, relayAt, createdAt, updatedAt)
  VALUES (?, 'bare', 'bare', ?, ?, 'done', 0, 0, 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`;

runBareServer(async (ctx) => {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(digest(ctx.get('x-callback-token')), digest(token))) return;
  const { id, external_id: reference } = JSON.parse(await bodyText(ctx.req)) as { id: string; external_id: string };
  const [link] = await rows<{ companyId: string; id: string }>(pool, linkOf, [reference]);
  if (link === undefined) return;
  await rows(pool, paymentOf, [link.companyId, id]);
  const payload = JSON.stringify({ paymentLinkId: link.id });
  await bareTransaction(pool, (connection) => run(connection, insertJob, [link.companyId, payload, randomUUID()]));
  ctx.body = { message: 'Received' };
});
