import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runBareServer } from './runBareServer';

const folder = process.env['FOLDER'] ?? '';

runBareServer(async (ctx) => {
  const bytes = await readFile(join(folder, ctx.path.slice(ctx.path.lastIndexOf('/') + 1)));
  ctx.type = 'application/pdf';
  ctx.body = bytes;
});
