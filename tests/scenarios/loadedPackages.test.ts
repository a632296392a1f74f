import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { runCliProcess } from '../support/commandLine';
import { eventually } from '../support/eventually';
import { installation } from '../support/installation';
import { startApiProcess, startWorkerProcess } from '../support/processes';

const NODE_OPTIONS = `--require ${join(projectRoot, 'tests/support/loadedPackages.cjs')}`;
/** Of implementations that the configuration does not choose, and of work that has not begun. */
const unneeded =
  /^(@aws-sdk|@smithy|@sendgrid|axios|@opentelemetry\/(?!api$)|stripe$|sharp$|@bull-board|@fontsource|@expo|noto-)/;
const ofWorkers = /^(puppeteer|@puppeteer|@sparticuz|chromium|nodemailer|tar-fs)/;

async function environment(): Promise<Record<string, string>> {
  const worker = { XENDIT_SECRET_KEY: 'none', SMTP_URL: 'smtp://127.0.0.1:1', WORKER_QUEUES: 'email,payment-link' };
  return { ...(await installation()), ...worker, NODE_OPTIONS };
}

const packagesIn = (log: string): string[] | undefined => /^loaded packages: (.+)$/m.exec(log)?.[1]?.split(' ');

test('an API that is ready › has loaded no package that it does not need', async () => {
  const api = await startApiProcess(await environment());
  const packages = await eventually(() => packagesIn(api.log()));
  expect(packages).toContain('koa');
  expect(packages.filter((name) => unneeded.test(name) || ofWorkers.test(name))).toEqual([]);
});

test('a worker without PDFs that is ready › has loaded the mail transport and the gateway of its configuration', async () => {
  const worker = await startWorkerProcess(await environment());
  const packages = await eventually(() => packagesIn(worker.log()));
  expect(packages).toContain('nodemailer');
  expect(packages.filter((name) => unneeded.test(name) || /^koa$/.test(name))).toEqual([]);
});

test('a command › has loaded no package that it does not need', async () => {
  const { stderr, exitCode } = await runCliProcess(['workers', 'list'], { NODE_OPTIONS });
  expect(exitCode).toBe(0);
  const packages = packagesIn(stderr) ?? [];
  expect(packages).toContain('commander');
  expect(packages.filter((name) => unneeded.test(name) || ofWorkers.test(name) || /^koa$/.test(name))).toEqual([]);
});
