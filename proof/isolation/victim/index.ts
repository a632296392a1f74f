import { setTimeout as sleep } from 'node:timers/promises';
import { serveTasks } from '../../../dev/tasks/serveTasks';
import { HttpClient, jsonOf, type HttpCall, newInvoice } from '../../installation/HttpClient';
import { WebhookReceiver } from './WebhookReceiver';
import type { Experience, VictimReport, VictimTask, Work } from './work';

/** The request to measure, its expected response, and another end of the measurement. */
interface Step {
  readonly call: HttpCall;
  readonly status: number;
  readonly startsWith?: string;
  readonly until?: Promise<void>;
}
/** Prepares the next request of one kind. */
type NextStep = () => Promise<Step>;

/** The pause between two requests of one kind on a quiet machine: the victim is a normal user, not a load test. */
const pausesMs: Record<Work, number> = {
  get: 50,
  list: 50,
  create: 50,
  pdf: 100,
  email: 100,
  link: 250,
  delivery: 100,
  page: 100,
  probe: 20,
};
/** The time-out of a request. */
const timeoutMs = 30_000;

serveTasks(async (task: VictimTask): Promise<VictimReport> => {
  const client = new HttpClient(task.baseUrl, task.token);
  const receiver = task.works.includes('delivery') ? await WebhookReceiver.open(client, ['client.updated']) : null;
  const until = Date.now() + task.seconds * 1000;
  const entries = await Promise.all(
    task.works.map(
      async (work) =>
        [
          work,
          await repeat(client, stepsOf(client, receiver, task)[work], task.slowness * pausesMs[work], until),
        ] as const,
    ),
  );
  await receiver?.close();
  client.close();
  return Object.fromEntries(entries);
});

async function repeat(client: HttpClient, next: NextStep, pauseMs: number, until: number): Promise<Experience> {
  const experience: Experience = { tookMs: [], failures: [] };
  while (Date.now() < until) {
    try {
      const { call, status, startsWith, until: end } = await next();
      const begun = performance.now();
      const [reply] = await Promise.all([client.send({ ...call, timeoutMs }), end]);
      const right =
        reply.status === status &&
        reply.body
          .subarray(0, 8)
          .toString('latin1')
          .startsWith(startsWith ?? '');
      if (right) experience.tookMs.push(performance.now() - begun);
      else experience.failures.push(`${reply.status} ${reply.body.toString().slice(0, 200)}`);
    } catch (error) {
      experience.failures.push(codeOf(error));
    }
    await sleep(pauseMs);
  }
  return experience;
}

function codeOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return name === 'TimeoutError' || name === 'AbortError'
    ? `no response within ${timeoutMs / 1000} s`
    : (code ?? message);
}

function stepsOf(
  client: HttpClient,
  receiver: WebhookReceiver | null,
  { clientId, invoiceIds }: VictimTask,
): Record<Work, NextStep> {
  let turn = 0;
  let page: Promise<string> | undefined;
  const create: HttpCall = { path: '/api/invoices', method: 'POST', body: newInvoice(clientId) };
  const fresh = async (): Promise<number> => {
    const reply = await client.send({ ...create, timeoutMs });
    if (reply.status !== 201) throw new Error(`create: ${reply.status}`);
    return jsonOf<{ id: number }>(reply).id;
  };
  return {
    probe: () => Promise.resolve({ call: { path: '/healthz', connectFrom: '127.0.0.2' }, status: 200 }),
    get: () => {
      turn += 1;
      return Promise.resolve({ call: { path: `/api/invoices/${invoiceIds[turn % invoiceIds.length]}` }, status: 200 });
    },
    list: () => Promise.resolve({ call: { path: '/api/invoices' }, status: 200 }),
    create: () => Promise.resolve({ call: create, status: 201 }),
    pdf: async () => ({ call: { path: `/api/invoices/${await fresh()}/pdf` }, status: 200, startsWith: '%PDF-' }),
    email: async () => ({
      call: { path: `/api/invoices/${await fresh()}/send-email`, method: 'POST' },
      status: 200,
    }),
    link: async () => ({
      call: { path: `/api/invoices/${await fresh()}/create-gateway-invoice`, method: 'POST' },
      status: 200,
    }),
    page: async () => {
      page ??= pageOf(client, clientId);
      return { call: { path: await page, headers: ofReader }, status: 200, startsWith: '<!doctyp' };
    },
    delivery: () => {
      turn += 1;
      const call: HttpCall = { path: `/api/clients/${clientId}`, method: 'PUT', body: { name: `Client ${turn}` } };
      return Promise.resolve({ call, status: 200, until: receiver?.next(timeoutMs) });
    },
  };
}

/** The reader of a page has an address of its own, and no key. */
const ofReader = { Authorization: '', 'X-Forwarded-For': '198.51.100.7' };

/** Returns the path of the page of a new invoice. */
async function pageOf(client: HttpClient, clientId: number): Promise<string> {
  const body = newInvoice(clientId, { status: 'sent' });
  const { id } = jsonOf<{ id: number }>(await client.send({ path: '/api/invoices', method: 'POST', body, timeoutMs }));
  const reply = await client.send({ path: `/api/invoices/${id}/hosted-page`, timeoutMs });
  return new URL(jsonOf<{ url: string }>(reply).url).pathname;
}
