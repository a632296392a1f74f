import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Middleware } from 'koa';
import { boardPath } from './boardPath';

/** React needs style attributes. All files come from this port, so that no other server is told of a visit. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Files with a hash in their name never change. */
const HASHED = /^\/static\/(js|css)\//;
const TEXTS = /^\/static\/locales\/[a-zA-Z-]+\/messages\.json$/;
const FONTS_OF_GOOGLE = /<link[^>]*fonts\.googleapis\.com[^>]*>/;

/**
 * Hides the actions that are refused anyway: of the menus, of a job (all but its retry) and of a list. Their icons are the only names
 * that stay the same in the next version of bull-board. Hides tabs of states that no queue has as well.
 */
const HIDDEN = `<style>
[role="menuitem"]:has(.lucide-plus, .lucide-refresh-cw, .lucide-trash-2, .lucide-ban),
[class^="jobActions-"] li:not(:has(.lucide-refresh-cw)),
[class^="queueActions-"],
a[href$="status=prioritized"], a[href$="status=paused"] { display: none !important; }
</style>`;

/** Adapts the page of bull-board: its content security policy, its texts and the offered actions. */
export const boardPage: Middleware = async (ctx, next) => {
  const path = ctx.path.slice(boardPath.length);
  ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  await next();
  if (ctx.status !== 200) return;
  if (TEXTS.test(path)) ctx.body = await texts(path);
  if (HASHED.test(path)) ctx.set('Cache-Control', 'private, max-age=604800, immutable');
  if (typeof ctx.body === 'string' && ctx.response.is('html')) {
    ctx.body = ctx.body.replace(FONTS_OF_GOOGLE, '').replace('</head>', `${HIDDEN}</head>`);
  }
};

/** bull-board calls our states by BullMQ's names; one that we have not stands for ours that it has not. */
const statusTexts = {
  ACTIVE: 'Running',
  DELAYED: 'Scheduled',
  COMPLETED: 'Done',
  'WAITING-CHILDREN': 'Uncertain',
};

/** bull-board offers to retry every job that has an error. */
const errorTexts = {
  JOB_NOT_RETRIABLE:
    'Only a failed job can be retried: a pending one has its next attempt, an uncertain one is settled from the command line.',
};

async function texts(path: string): Promise<object> {
  const folder = dirname(require.resolve('@bull-board/ui/package.json'));
  const read = JSON.parse(await readFile(join(folder, 'dist', path), 'utf8')) as {
    QUEUE: { STATUS: object };
    ERRORS: object;
  };
  Object.assign(read.QUEUE.STATUS, statusTexts);
  Object.assign(read.ERRORS, errorTexts);
  return read;
}
