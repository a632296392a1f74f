import type { LoadedDocument } from '../../../shared/invoiceDocuments';
import type { Services } from '../../../shared/services';
import { attachedPdf } from '../../../workers/emails/attachedPdf';
import { Snooze, type JobRun } from '../../../workers/jobs/JobRun';
import { RenderFailed } from '../../../shared/engine/errors';
import { openTestServices } from '../../support/installation';

const RUNS = 10;
const pdf = Buffer.from('%PDF-1.7');

/** Resolves when it has been called so often. */
function meeting(count: number): () => Promise<void> {
  let open: () => void = () => undefined;
  let come = 0;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return () => {
    come += 1;
    if (come === count) open();
    return opened;
  };
}

/**
 * The services of runs that look for their PDF at the same time, and do not find it: before they wait, and then one of each document. Later reads
 * find it.
 */
function withoutPdfs(services: Services, documents: number): Services {
  const rounds = [
    ...Array<() => Promise<void>>(RUNS).fill(meeting(RUNS)),
    ...Array<() => Promise<void>>(documents).fill(meeting(documents)),
  ];
  let reads = 0;
  const look = async (): Promise<Buffer | null> => {
    const round = rounds[reads++];
    if (round === undefined) return pdf;
    await round();
    return null;
  };
  const has = async (): Promise<boolean> => (await look()) !== null;
  return { ...services, files: Object.assign(Object.create(services.files) as Services['files'], { get: look, has }) };
}

const runOf = (services: Services, createdAt: Date, errorCode: string | null = null): JobRun =>
  ({
    tools: { services },
    companyId: 1,
    requestId: null,
    job: { id: 1, name: 'sendInvoiceEmail', createdAt, errorCode },
  }) as JobRun;

const documentOf = (index: number, key: string): LoadedDocument =>
  ({ invoice: { id: index + 1 }, creditNoteId: null, key, isLong: false }) as LoadedDocument;

test.each([
  ['several documents', RUNS, (index: number) => `key-${index}`],
  ['one document', 1, () => 'key'],
])(
  'runs of a company with %s that look for their PDFs at the same time › three wait, the others are deferred',
  async (_of, documents, keyOf) => {
    const services = withoutPdfs(await openTestServices(), documents);
    const run = runOf(services, services.clock.now());
    const outcomes = await Promise.allSettled(
      Array.from({ length: RUNS }, (_, index) => attachedPdf(run, documentOf(index, keyOf(index)))),
    );
    const deferred = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(deferred.map(({ reason }) => reason instanceof Snooze)).toEqual(Array(RUNS - 3).fill(true));
  },
);

describe('an e-mail that was requested yesterday, whose PDF', () => {
  const flow = { companyId: 1, isWaitedFor: true };
  const queue = ({ queues }: Services, jobId: string): Promise<void> =>
    queues.add({ queue: 'pdf', name: 'renderInvoicePdf', jobId, data: {}, flow });
  const send = (services: Services, key: string, errorCode?: string): Promise<unknown> =>
    attachedPdf(runOf(services, new Date(services.clock.now().getTime() - 86_400_000), errorCode), documentOf(1, key));

  test('waits for its turn, or was put off › is deferred', async () => {
    const services = await openTestServices();
    await queue(services, 'pdf-1-waiting');
    const putOff = { name: 'renderInvoicePdf', jobId: 'pdf-1-put-off', data: {}, delayMs: 60_000 };
    await services.queues.add({ ...putOff, queue: 'pdf-long' });
    await Promise.all(['waiting', 'put-off'].map((key) => expect(send(services, key)).rejects.toThrow(Snooze)));
  });

  test('was cut off or has failed since the last run › counts as a failed attempt, and is queued again', async () => {
    const services = await openTestServices();
    await expect(send(services, 'lost')).rejects.toThrow(RenderFailed);
    expect(await services.queues.entry('pdf', 'pdf-1-lost')).not.toBeNull();
    await expect(send(services, 'lost')).rejects.toThrow(Snooze);
  });

  test('is asked for once its company may send again › is deferred, and the next run counts', async () => {
    const services = await openTestServices();
    await expect(send(services, 'limited', 'rate_limited')).rejects.toMatchObject({ cause: expect.any(RenderFailed) });
    expect(await services.queues.entry('pdf', 'pdf-1-limited')).not.toBeNull();
  });

  test('is the 1,001st of its company › queues none, and is deferred', async () => {
    const services = await openTestServices();
    // A process knows for a second that there are so many.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => queue(services, `pdf-1-queued-${index}`)));
    await expect(send(services, 'late')).rejects.toThrow(Snooze);
    expect(await services.queues.entry('pdf', 'pdf-1-late')).toBeNull();
  });
});
