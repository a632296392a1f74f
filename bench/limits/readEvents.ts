import { bareDatabase, rows } from './bareDatabase';
import { runBareServer } from './runBareServer';

const companyId = process.env['COMPANY_ID'] ?? '';
const pool = bareDatabase();
const page = `SELECT seq AS id, type, createdAt, actor, requestId, subjectType, subjectId, data FROM events
  WHERE companyId = ? AND seq > ? ORDER BY seq LIMIT 1000`;

runBareServer(async (ctx) => {
  ctx.body = { data: await rows(pool, page, [companyId, String(ctx.query['after'])]) };
});
