import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTimeOf } from '../../dev/measuring/cpuTime';
import { median } from '../../dev/measuring/statistics';
import { toSqlTime } from '../../shared/engine/db';
import { recordJob } from '../../shared/engine/jobs';
import { createPaymentLink } from '../../shared/paymentLinks';
import { benchBeside, type BenchBeside } from '../installation/benchBeside';
import type { Machine } from '../../dev/installation/Machine';
import type { LoadTask } from '../load/LoadTask';
import { apiLoad, pdf } from '../rows/apiLoad';
import { inParallel, sendJson } from '../rows/callApi';
import { creates } from '../rows/writes';
import { downloadPdfs } from '../rows/pdfs';
import { reads } from '../rows/reads';
import { connections, type Bench } from '../rows/Row';
import type { Figure, Finding, Turns } from './Figure';
import { recordEmails } from '../rows/emails';

/** The delay of each response of the mail server and the gateway. */
const waitMs = 50;
/**
 * One job of each kind at a time in a worker, so that its rate is bounded by the delay, and not by the CPU, which all
 * processes share.
 */
const settings = { EMAIL_CONCURRENCY: '1', PAYMENT_LINK_CONCURRENCY: '1', PDF_CONCURRENCY: '1' };
const queues = { WORKER_QUEUES: 'email,payment-link,pdf' };
/** Least ratios of waiting jobs. */
const wanted: Readonly<Record<number, number>> = { 2: 1.9, 4: 3.6 };
const warmUpSeconds = 2;
const drainedWithinMs = 60_000;

/** A rate, and the CPU time of an operation: of the processes of the service, MySQL and Redis. */
interface Measured {
  readonly perSecond: number;
  readonly cpuMs: number;
}
type Measure = (processes: readonly Machine[], seconds: number) => Promise<Measured>;

/** The rate of two and four processes against that of one. */
export const scaleOut: Figure = {
  name: 'scale-out',
  what: `1, 2 and 4 workers on jobs that wait for ${waitMs} ms and on PDFs, 1 and 2 APIs`,
  async measure(bench, _quick, turns) {
    const beside = await benchBeside(bench, 'scale_out', { ...settings, ...queues });
    const [api, worker] = [await beside.startApi(), await beside.startWorker()];
    const open = await sentInvoices(beside);
    const emailed = open.slice(0, emailedInvoices);
    await downloadPdfs(beside, emailed);
    await worker.stop();
    await wait(beside, waitMs);
    const links = [...open];
    const ofWorkers = await inTurns([1, 2, 4], turns, () => beside.startWorker(), {
      [`e-mails, SMTP replies after ${waitMs} ms`]: jobs(beside, 'sendInvoiceEmail', (count) =>
        recordEmails(beside, emailed, count),
      ),
      [`payment links, the gateway responds after ${waitMs} ms`]: jobs(beside, 'createPaymentLink', (count) =>
        record(beside, links.splice(0, count)),
      ),
      'PDFs, never printed before': renders(beside, api),
    });
    await wait(beside, 0);
    await api.stop();
    const other = bench.startMeasurer<LoadTask>('dist/bench/load/index.js');
    const ofApis = await inTurns([1, 2], turns, () => beside.startApi(), {
      'GET /api/invoices/{id}': requests(beside, [beside.load, other], reads(beside)),
      'POST /api/invoices (3 items)': requests(beside, [beside.load, other], creates(beside)),
    });
    await beside.installation.services.close();
    return [...findings('workers', ofWorkers), ...findings('APIs', ofApis)];
  },
};

const emailedInvoices = 50;

type Results = Map<string, Map<number, Measured[]>>;

/** Measures everything with each number of processes. Their order changes with every round. */
async function inTurns(
  counts: readonly number[],
  { rounds, seconds }: Turns,
  start: () => Promise<Machine>,
  measures: Readonly<Record<string, Measure>>,
): Promise<Results> {
  const results: Results = new Map(Object.keys(measures).map((what) => [what, new Map(counts.map((n) => [n, []]))]));
  for (let round = 0; round < rounds; round++) {
    for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
      const processes: Machine[] = [];
      while (processes.length < count) processes.push(await start());
      for (const [what, measure] of Object.entries(measures)) {
        // Compiles code and opens connections, which the measurement leaves out.
        await measure(processes, warmUpSeconds);
        results
          .get(what)
          ?.get(count)
          ?.push(await measure(processes, seconds));
      }
      await Promise.all(processes.map((process) => process.stop()));
    }
  }
  return results;
}

function findings(processes: string, results: Results): Finding[] {
  return [...results].flatMap(([what, byCount]) => {
    const [one, ...more] = [...byCount].map(([count, samples]) => ({
      count,
      perSecond: median(samples.map(({ perSecond }) => perSecond)),
      cpuMs: median(samples.map(({ cpuMs }) => cpuMs)),
    }));
    if (one === undefined) return [];
    const text = ({ perSecond, cpuMs }: Measured): string =>
      `${perSecond.toFixed(1)}/s, ${cpuMs.toFixed(1)} ms of CPU each`;
    return more.map((other) => {
      const atLeast = what.includes(`after ${waitMs} ms`) ? wanted[other.count] : undefined;
      return {
        what: `${what}: ${other.count} ${processes} (${text(other)}) against one (${text(one)})`,
        value: other.perSecond / one.perSecond,
        ...(atLeast !== undefined && { atLeast }),
      };
    });
  });
}

/** Measures the CPU time of an operation beside its rate. */
async function withCpu(
  { installation }: Bench,
  processes: readonly Machine[],
  work: () => Promise<{ perSecond: number; done: number }>,
): Promise<Measured> {
  const pids = [...processes.map(({ pid }) => pid), ...installation.pids.servers];
  const before = cpuTimeOf(pids);
  const { perSecond, done } = await work();
  return { perSecond, cpuMs: (cpuTimeOf(pids) - before) / done };
}

/**
 * Records as many jobs as the workers can do in the time if they only wait, and measures until all of them are done.
 */
function jobs(bench: BenchBeside, name: string, add: (count: number) => Promise<void>): Measure {
  const { sql } = bench.installation.services;
  return async (workers, seconds) => {
    const count = Math.ceil((seconds * workers.length * 1_000) / waitMs);
    return withCpu(bench, workers, async () => {
      const begin = toSqlTime(new Date());
      await add(count);
      // Recording the jobs takes CPU time from the workers, so only jobs that end later count.
      const recordedMs = Date.now();
      const deadline = performance.now() + drainedWithinMs;
      for (;;) {
        const rows = await sql.rows<{ status: string; endedMs: number | null }>(
          `SELECT status, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', endedAt) / 1000 AS endedMs
             FROM jobs WHERE companyId = ? AND name = ? AND createdAt >= ?`,
          [bench.installation.seeded.companyId, name, begin],
        );
        const ended = rows.filter(({ status }) => status === 'done').map(({ endedMs }) => Number(endedMs));
        if (ended.length === count) return { perSecond: rateOf(ended, recordedMs, workers.length), done: count };
        if (rows.some(({ status }) => status === 'failed')) throw new Error(`a job ${name} failed`);
        if (performance.now() > deadline) throw new Error(`${count - ended.length} jobs ${name} were not done in time`);
        await sleep(100);
      }
    });
  };
}

/** The rate of the jobs that ended after `fromMs`, without the last of each worker, when other workers are idle. */
function rateOf(endedMs: readonly number[], fromMs: number, workers: number): number {
  const counted = endedMs.filter((at) => at >= fromMs).sort((a, b) => a - b);
  const all = counted.slice(0, counted.length - workers);
  const [first, last] = [all[0], all[all.length - 1]];
  if (first === undefined || last === undefined || last === first)
    throw new Error('too few jobs for a measurement: use more --seconds');
  return ((all.length - 1) / (last - first)) * 1_000;
}

function renders(bench: BenchBeside, api: Machine): Measure {
  return async (workers, seconds) => {
    const paths = (await bench.fresh.forSeconds(seconds)).map((id) => `/api/invoices/${id}/pdf`);
    const load = apiLoad(bench, { paths, once: true, expected: pdf });
    return withCpu(bench, [...workers, api], async () => {
      const sample = await load(seconds);
      // PDFs of requests that were cut off at the end are printed as well.
      bench.fresh.used(sample.done + 4 * connections);
      return sample;
    });
  };
}

/** The connections of the benchmark, divided between the APIs, each with a process that sends its load. */
function requests(bench: BenchBeside, loads: readonly Bench['load'][], given: Parameters<typeof apiLoad>[1]): Measure {
  return (apis, seconds) =>
    withCpu(bench, apis, async () => {
      const samples = await Promise.all(
        apis.map((api, index) => {
          const installation = { ...bench.installation, apiUrl: api.url };
          const load = loads[index] ?? bench.load;
          return apiLoad({ installation, load }, { ...given, connections: connections / apis.length })(seconds);
        }),
      );
      return {
        perSecond: samples.reduce((sum, { perSecond }) => sum + perSecond, 0),
        done: samples.reduce((sum, { done }) => sum + done, 0),
      };
    });
}

/** Invoices in status `sent`, of which none has a payment link. */
async function sentInvoices({ installation: { services, seeded } }: Bench): Promise<number[]> {
  const rows = await services.sql.rows<{ id: number }>(
    "SELECT id FROM invoices WHERE companyId = ? AND status = 'sent' ORDER BY id",
    [seeded.companyId],
  );
  return rows.map(({ id }) => id);
}

async function record({ installation: { services, seeded } }: Bench, invoiceIds: readonly number[]): Promise<void> {
  const scope = { companyId: seeded.companyId, actor: 'bench' };
  await inParallel(invoiceIds, (invoiceId) =>
    services.perform(scope, (uow) => recordJob(uow, createPaymentLink, { invoiceId })),
  );
}

/** Delays the responses of the mail server and the gateway from now on; 0 for no delay. */
async function wait({ installation }: Bench, delayMs: number): Promise<void> {
  const late = delayMs > 0 && { mode: 'late', times: 1_000_000, delayMs };
  for (const url of [installation.mailboxUrl, installation.gatewayUrl]) {
    await sendJson(`${url}/control`, 'PUT', { reset: true, ...late });
  }
}
