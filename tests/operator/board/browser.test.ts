import type { Page } from 'puppeteer';
import { Job } from '../../../shared/models';
import { startBrowser, type TestBrowser } from '../../support/browser';
import { eventually } from '../../support/eventually';
import { createCompany } from '../../support/factories';
import { atEnd } from '../../support/installation';
import { operatorToken, startOperator, type TestOperator } from '../../support/operator';
import { recordJobIn } from './recordedJobs';

let operator: TestOperator;
let browser: TestBrowser;
let failedId: number;

beforeAll(async () => {
  [operator, browser] = await Promise.all([startOperator(), startBrowser()]);
  atEnd(() => browser.close());
  const { companyId } = await createCompany(operator.services);
  for (const status of ['pending', 'running', 'done', 'uncertain', 'failed'] as const) {
    failedId = await recordJobIn(operator.services, { companyId, status });
  }
});

/** Opens a page of the board as an operator who gave the token as the password. `problems` collects what the browser refuses. */
async function open(path: string, width: number): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.open('about:blank', width);
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(operator.url)) problems.push(request.url());
  });
  await page.authenticate({ username: 'operator', password: operatorToken });
  await page.goto(`${operator.url}/board${path}`);
  return { page, problems };
}

/** Returns the texts, or the classes of icons, of the elements that can be seen. */
async function visible(page: Page, selector: string): Promise<string[]> {
  return (await page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})]
       .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 0)
       .map((element) => element.textContent || element.getAttribute('class'))`,
  )) as string[];
}

test.each([1280, 390])(
  'a window of %d pixels › shows all queues and a job, without any error or foreign request',
  async (width) => {
    const { page, problems } = await open('/', width);
    await page.waitForSelector('main a::-p-text(payment-link)');
    const overview = (await visible(page, 'main a')).join(' ');
    expect(overview).toMatch(/^all running.*waiting.*uncertain.*done.*failed.*scheduled email/i);
    expect(overview).not.toMatch(/prioritized|paused/i);
    await page.goto(`${operator.url}/board/queue/email/${failedId}`);
    await page.waitForSelector('text/email_refused: the mail server refused the message');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(problems).toEqual([]);
    await page.close();
  },
);

test.each([1280, 390])(
  'a window of %d pixels › a job that is retried opens on its error and its times',
  async (width) => {
    const { companyId } = await createCompany(operator.services);
    const id = await recordJobIn(operator.services, { companyId, status: 'pending', dueInMs: 3_600_000 });
    const lastError = {
      code: 'email_unavailable',
      message: 'cannot be reached',
      status: 504,
      detail: 'mail.internal:587',
    };
    const { availableAt } = await Job.findOne({ where: { id }, rejectOnEmpty: true });
    await Job.update({ lastError: JSON.stringify(lastError) }, { where: { id } });
    for (const [job, error] of [
      [id, 'email_unavailable: cannot be reached (mail.internal:587)'],
      [failedId, 'email_refused: the mail server refused the message'],
    ] as const) {
      const { page } = await open(`/queue/email/${job}`, width);
      await page.waitForSelector(`text/${error}`);
      const shown = (await visible(page, '[class^="details-"]')).join(' ');
      expect(shown).toContain(error);
      expect(shown).toMatch(/"?recorded"?: ?"2\d{3}-/);
      if (job === id) expect(shown).toContain(availableAt.toISOString());
      await page.close();
    }
  },
);

test('a failed job › can be retried, and no other action is offered', async () => {
  const { page, problems } = await open('/queue/email?status=failed', 1280);
  await page.waitForSelector('text/550 no such user');
  expect(await visible(page, '[class^="jobActions-"] svg')).toEqual([expect.stringContaining('lucide-refresh-cw')]);
  await page.click('[class^="jobActions-"] button');
  await (await page.waitForSelector('[role="alertdialog"] button::-p-text(Confirm)'))?.click();
  await eventually(async () => (await Job.findOne({ where: { id: failedId } }))?.status === 'pending');
  await page.waitForSelector('text/550 no such user', { hidden: true });
  expect(problems).toEqual([]);
  await page.close();
});

test('an uncertain job › is not retried, and the board says what to do', async () => {
  const { companyId } = await createCompany(operator.services);
  const id = await recordJobIn(operator.services, { companyId, status: 'uncertain' });
  const { page } = await open('/queue/email?status=latest', 1280);
  // The one that changed last comes first.
  await (await page.waitForSelector('[class^="jobActions-"] button:has(.lucide-refresh-cw)'))?.click();
  await (await page.waitForSelector('[role="alertdialog"] button::-p-text(Confirm)'))?.click();
  await page.waitForSelector('text/Only a failed job can be retried');
  expect((await Job.findOne({ where: { id } }))?.status).toBe('uncertain');
  await page.close();
});

test('the menu of a queue › offers its pause only', async () => {
  const { page } = await open('/queue/email?status=latest', 1280);
  await (await page.waitForSelector('button[class^="trigger-"]'))?.click();
  await page.waitForSelector('[role="menuitem"]');
  expect(await visible(page, '[role="menuitem"]')).toEqual(['Pause']);
  await page.close();
});
