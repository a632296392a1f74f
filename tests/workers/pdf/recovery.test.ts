import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { getPriority } from 'node:os';
import { existsSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import sharp from 'sharp';
import { projectRoot } from '../../../config/paths';
import { buildInvoiceDocument } from '../../../shared/documents/buildInvoiceDocument';
import { RenderCutOff, RenderFailed } from '../../../shared/engine/errors';
import { privateFolder } from '../../../workers/pdf/privateFolder';
import { InvoiceTab } from '../../../workers/pdf/InvoiceTab';
import type { PdfRenderer } from '../../../workers/pdf/PdfRenderer';
import { eventually } from '../../support/eventually';
import { invoiceSource } from '../../shared/documents/invoiceDocuments';
import { deadlineMs, holdDeadlines, type HeldDeadlines } from './holdDeadlines';
import { descendants, groupMembers, ownBrowsers, ownMegabytes, ownRenderers } from './processes';
import { testRenderer } from './testRenderer';

const small = buildInvoiceDocument(invoiceSource());
/** Its text changes direction at each character, so that its layout takes half a gigabyte. */
const long = buildInvoiceDocument(
  invoiceSource({
    items: Array.from({ length: 500 }, () => ({
      description: 'a\u05d0'.repeat(250),
      quantity: '1.00',
      unitPrice: '1.00',
      amount: '1.00',
    })),
  }),
);
const profilesOf = async (pid: number) =>
  readdirSync(await privateFolder('invoicing-chromium')).filter((name) => name.startsWith(`profile-${pid}-`));
const isPdf = (pdf: Buffer) => pdf.subarray(0, 5).toString() === '%PDF-';

describe('a PDF renderer', () => {
  let renderer: PdfRenderer;
  let deadlines: HeldDeadlines;
  const browsers = new Set<number>();
  const start = async (options: Parameters<typeof testRenderer>[0] = {}) => {
    renderer = testRenderer({ deadlineMs, ...options });
    await renderer.warm();
    ownBrowsers().forEach((pid) => browsers.add(pid));
  };

  beforeEach(() => {
    deadlines = holdDeadlines();
  });
  afterEach(async () => {
    await renderer.close();
    jest.restoreAllMocks();
    await eventually(() => ownBrowsers().length === 0 && groupMembers(browsers).length === 0);
    expect(await profilesOf(process.pid)).toEqual([]);
  });

  const untilPrinting = () => eventually(() => deadlines.count === 1);

  it('whose browser is killed during a job › fails that job as worth a retry, and the next one works', async () => {
    await start();
    const [browser = 0] = ownBrowsers();
    for (const pid of ownRenderers()) process.kill(pid, 'SIGSTOP');
    const job = renderer.render(small, null);
    const outcome = expect(job).rejects.toThrow(RenderFailed);
    await untilPrinting();
    process.kill(browser, 'SIGKILL');
    await outcome;
    await job.catch((error: unknown) => expect(error).toMatchObject({ retryable: true, status: 503 }));
    expect(isPdf(await renderer.render(small, null))).toBe(true);
    expect(ownBrowsers()).not.toContain(browser);
  });

  it('that has printed long texts › keeps none of what they needed', async () => {
    await start();
    for (let prints = 0; prints < 3; prints += 1) await renderer.render(long, null);
    const [memory = Infinity] = ownRenderers().map(ownMegabytes);
    expect(memory).toBeLessThan(200);
  });

  it('whose page crashes during a job › does not wait for the deadline, and the next one works', async () => {
    await start();
    for (const pid of ownRenderers()) process.kill(pid, 'SIGSTOP');
    const outcome = renderer.render(small, null).catch((error: unknown) => error);
    await untilPrinting();
    for (const pid of ownRenderers()) process.kill(pid, 'SIGKILL');
    expect(await outcome).toEqual(new RenderCutOff('the browser crashed while it printed'));
    expect(isPdf(await renderer.render(small, null))).toBe(true);
  });

  /** Renders what a hung browser will not print, until its deadline. */
  const renderUntilDeadline = async (): Promise<unknown> => {
    const outcome = renderer.render(small, null).catch((error: unknown) => error);
    await eventually(() => deadlines.count === 1);
    deadlines.pass();
    return outcome;
  };

  it('whose page hangs › kills the browser after the deadline, and the next one works', async () => {
    await start();
    for (const pid of ownRenderers()) process.kill(pid, 'SIGSTOP');
    expect(await renderUntilDeadline()).toBeInstanceOf(RenderFailed);
    expect(isPdf(await renderer.render(small, null))).toBe(true);
  });

  it('one of whose two browsers hangs › cuts off that render alone, and the other goes on printing', async () => {
    await start({ concurrency: 2 });
    const [hung = 0, neighbour = 0] = ownBrowsers();
    process.kill(hung, 'SIGSTOP');
    let ended = 0;
    const renders = Array.from({ length: 20 }, () => renderer.render(small, null).finally(() => (ended += 1)));
    await eventually(() => ended === 19);
    deadlines.pass();
    const outcomes = await Promise.allSettled(renders);
    const failed = outcomes.filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([{ status: 'rejected', reason: expect.any(RenderCutOff) as unknown }]);
    await eventually(() => ownBrowsers().length === 2);
    expect(ownBrowsers()).toContain(neighbour);
    expect(ownBrowsers()).not.toContain(hung);
  });

  it('with two browsers › prints what takes long in the one that lets others of the machine go first, and the rest in the other', async () => {
    await start({ concurrency: 2 });
    const [usual = 0, nicer = 0] = ownBrowsers().sort((one, other) => getPriority(one) - getPriority(other));
    expect(getPriority(nicer)).toBe(getPriority(usual) + 2);
    const printWithout = async (stopped: number, isLong: boolean): Promise<void> => {
      process.kill(stopped, 'SIGSTOP');
      for (let prints = 0; prints < 3; prints++)
        expect(isPdf(await renderer.render(small, null, { isLong }))).toBe(true);
      process.kill(stopped, 'SIGCONT');
    };
    await printWithout(usual, true);
    await printWithout(nicer, false);
  });

  it('whose render is cut off › has its next browser before it is asked for the next PDF', async () => {
    await start();
    const [hung = 0] = ownBrowsers();
    process.kill(hung, 'SIGSTOP');
    expect(await renderUntilDeadline()).toBeInstanceOf(RenderCutOff);
    await eventually(() => ownBrowsers().some((pid) => pid !== hung));
  });

  it('whose whole browser hangs › kills it after the deadline, and the next one works', async () => {
    await start();
    const [browser = 0] = ownBrowsers();
    process.kill(browser, 'SIGSTOP');
    expect(await renderUntilDeadline()).toBeInstanceOf(RenderFailed);
    expect(isPdf(await renderer.render(small, null))).toBe(true);
    expect(ownBrowsers()).not.toContain(browser);
  });

  it('whose browser died between jobs › starts another without failing a job', async () => {
    await start();
    const [browser = 0] = ownBrowsers();
    process.kill(browser, 'SIGKILL');
    // This process has seen its end once it is no zombie any more.
    await eventually(() => !existsSync(`/proc/${browser}`));
    expect(isPdf(await renderer.render(small, null))).toBe(true);
  });

  it('that starts a browser for a print, or cannot › does not count that time as the print’s', async () => {
    const now = performance.now.bind(performance);
    let startedMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + startedMs);
    const open = InvoiceTab.open.bind(InvoiceTab);
    jest.spyOn(InvoiceTab, 'open').mockImplementation((browser) => {
      startedMs += 1_000_000;
      return open(browser);
    });
    const took: number[] = [];
    const onEnd = (ms: number): void => void took.push(ms);
    renderer = testRenderer({ deadlineMs });
    await renderer.render(small, null, { onEnd });
    ownBrowsers().forEach((pid) => browsers.add(pid));
    await renderer.close();
    renderer = testRenderer({ chromePath: '/bin/false' });
    await expect(renderer.render(small, null, { onEnd })).rejects.toThrow(RenderFailed);
    expect(took).toEqual([expect.any(Number), 0]);
    expect(took[0]).toBeLessThan(1_000_000);
  });

  it('after its number of jobs › takes a fresh page and a fresh browser, and no job is interrupted', async () => {
    await start({ concurrency: 2, rendersPerBrowser: 5 });
    const seen = new Set<number>();
    const jobs = Array.from({ length: 40 }, async () => {
      const pdf = await renderer.render(small, null);
      for (const pid of ownBrowsers()) seen.add(pid);
      return isPdf(pdf);
    });
    expect(await Promise.all(jobs)).toEqual(jobs.map(() => true));
    expect(seen.size).toBeGreaterThanOrEqual(4);
    // Those out of service are gone: at most the two that still have jobs to go are left.
    await eventually(() => ownBrowsers().length <= 2);
  });

  it('that prints a large logo › is not used up sooner for it', async () => {
    const raw = { width: 400, height: 200, channels: 3 } as const;
    const logo = await sharp(randomBytes(400 * 200 * 3), { raw })
      .png()
      .toBuffer();
    await start({ rendersPerBrowser: 5 });
    const [browser] = ownBrowsers();
    for (let prints = 0; prints < 3; prints++) expect(isPdf(await renderer.render(small, logo))).toBe(true);
    expect(ownBrowsers()).toEqual([browser]);
  });

  it('that is closed › lets the running job end and refuses those that wait and come later', async () => {
    await start();
    const running = renderer.render(small, null);
    const waiting = expect(renderer.render(small, null)).rejects.toThrow(RenderFailed);
    const closed = renderer.close();
    await waiting;
    await expect(renderer.render(small, null)).rejects.toThrow(RenderFailed);
    expect(isPdf(await running)).toBe(true);
    await closed;
  });

  it('whose process is killed › leaves no browser behind', async () => {
    await start();
    const options = { chromePath: '', allowNoSandbox: true, environment: 'test', concurrency: 1 };
    const script = `
      const { createPdfRenderer } = require('./dist/workers/pdf/PdfRenderer.js');
      const log = require('./dist/shared/engine/log/log.js').createLogger('silent', 'test');
      createPdfRenderer(${JSON.stringify(options)}, log).warm().then(() => process.stdout.write('warm'));`;
    const worker = spawn(process.execPath, ['-e', script], { cwd: projectRoot, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(worker.stdout, 'data');
    const pid = worker.pid ?? 0;
    const browser = descendants(pid).map((found) => found.pid);
    expect(browser.length).toBeGreaterThan(1);
    expect(await profilesOf(pid)).toHaveLength(1);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    await eventually(() => groupMembers(browser).length === 0);
    // Its profile folder goes with the next browser that anybody starts, here or in another test.
    await renderer.close();
    await start();
    expect(await profilesOf(pid)).toEqual([]);
  });
});
