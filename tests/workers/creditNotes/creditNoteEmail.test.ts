import { settleEmail } from '../../../shared/emails';
import { inRounds } from '../../support/rounds';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

type Credited = Subject & { creditNoteId: number; number: string; path: string };

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});
beforeEach(() => effects.mailFault({ reset: true }));

/** A credit note of everything of a sent invoice, which is then cancelled. */
async function credited(): Promise<Credited> {
  const subject = await effects.invoice({ status: 'sent', issueDate: '2026-01-15' });
  const body = { reason: 'Returned', issueDate: '2026-02-01' };
  const response = await subject.as.post(`/api/invoices/${subject.invoice.id}/credit-notes`).send(body).expect(201);
  const { id: creditNoteId, creditNoteNumber: number } = response.body as { id: number; creditNoteNumber: string };
  return { ...subject, creditNoteId, number, path: `/api/credit-notes/${creditNoteId}` };
}

const request = async ({ as, path }: Credited, body: object = {}): Promise<number> =>
  jobIdOf(await as.post(`${path}/send-email`).set('Prefer', 'respond-async').send(body).expect(202));
const listed = async ({ as, invoice }: Credited): Promise<object[]> =>
  ((await as.get(`/api/invoices/${invoice.id}/emails`).expect(200)).body as { data: object[] }).data;

describe('POST /api/credit-notes/{id}/send-email', () => {
  test('sends the credit note, with its PDF, also of an invoice that it has cancelled', async () => {
    const note = await credited();
    expect((await effects.runToEnd(await request(note))).status).toBe('done');
    const [message, ...others] = await effects.messagesTo(note.clientEmail);
    expect(others).toEqual([]);
    expect(message?.summary.subject).toMatch(new RegExp(`^Credit note ${note.number} from Company`));
    expect(message?.text).toContain(note.invoice.invoiceNumber);
    expect(message?.text).toMatch(/Amount credited: .*220\.00/);
    expect(message?.summary.attachments).toMatchObject([
      { filename: `credit-note-${note.number}.pdf`, contentType: 'application/pdf' },
    ]);
    const download = await note.as.get(`${note.path}/pdf`).expect(200);
    expect(message?.contents[0]?.equals(download.body as Buffer)).toBe(true);
  });

  test('is listed with the e-mails of the invoice, and reported by events of the invoice', async () => {
    const note = await credited();
    await effects.runToEnd(await request(note));
    expect(await listed(note)).toMatchObject([{ kind: 'credit_note', status: 'sent', to: note.clientEmail }]);
    const { invoice, creditNoteId, number, clientEmail } = note;
    expect(await effects.eventsOf(invoice.id, 'email.sent')).toHaveLength(1);
    expect(await effects.eventsOf(invoice.id, 'credit_note.sent')).toEqual([
      { creditNoteId, creditNoteNumber: number, emailId: expect.any(Number) as number, to: clientEmail },
    ]);
    const { body } = await note.as.get(`/api/invoices/${invoice.id}/timeline?limit=100`).expect(200);
    expect(JSON.stringify(body)).toContain(`Credit note ${number} was sent to ${clientEmail}`);
  });

  test('two that meet in a round › each is reported by its own event', async () => {
    const note = await credited();
    const jobs = [await request(note), await request(note, { to: ['a@books.example'] })];
    await effects.runToEnd(await request(note));
    const tools = inRounds(effects.tools, { count: jobs.length });
    await Promise.all(jobs.map((jobId) => effects.run(jobId, tools)));
    const emails = await effects.emails(note.invoice.id);
    const [, ...sent] = await effects.eventsOf(note.invoice.id, 'credit_note.sent');
    // Which of the two was loaded first is left open.
    expect(new Set(sent)).toEqual(
      new Set(
        emails.slice(0, 2).map(({ id, givenTo }) => ({
          ...{ creditNoteId: note.creditNoteId, creditNoteNumber: note.number },
          ...{ emailId: id, to: givenTo ?? note.clientEmail },
        })),
      ),
    );
  });

  test('with addresses and a message › goes there, with the message', async () => {
    const note = await credited();
    const jobId = await request(note, { to: ['a@books.example'], cc: ['b@books.example'], message: 'As agreed.' });
    await effects.runToEnd(jobId);
    expect(await effects.messagesTo(note.clientEmail)).toEqual([]);
    const [message] = await effects.messagesTo('a@books.example');
    expect(message?.text).toContain('As agreed.');
    expect(message?.summary.headers['cc']).toContain('b@books.example');
  });

  test('is sent once, however often its job is run and its request is repeated', async () => {
    const note = await credited();
    const send = () =>
      note.as.post(`${note.path}/send-email`).set({ Prefer: 'respond-async', 'Idempotency-Key': 'once' }).expect(202);
    const jobId = jobIdOf(await send());
    await Promise.all([effects.run(jobId), effects.run(jobId), effects.run(jobId)]);
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    expect(jobIdOf(await send())).toBe(jobId);
    expect(await effects.messagesTo(note.clientEmail)).toHaveLength(1);
    expect(await effects.eventsOf(note.invoice.id, 'credit_note.sent')).toHaveLength(1);
  });

  test('an uncertain one that is settled as sent › is reported as sent', async () => {
    const note = await credited();
    await effects.mailFault({ mode: 'break', stage: 'reply' });
    expect((await effects.runToEnd(await request(note))).status).toBe('uncertain');
    expect(await effects.eventsOf(note.invoice.id, 'credit_note.sent')).toEqual([]);
    const [email] = await effects.emails(note.invoice.id);
    await effects.services.perform({ companyId: note.companyId, actor: 'test' }, (uow) =>
      settleEmail(uow, email?.id ?? 0, 'sent'),
    );
    expect(await effects.eventsOf(note.invoice.id, 'credit_note.sent')).toHaveLength(1);
  });

  test('of a company without a name, of another company, of a deleted invoice, of a client without an address › refused', async () => {
    const note = await credited();
    const other = await effects.invoice();
    await other.as.post(`${note.path}/send-email`).expect(404);
    await note.as.put(`/api/clients/${note.clientId}`).send({ email: null }).expect(200);
    const { body } = await note.as.post(`${note.path}/send-email`).expect(400);
    expect(body).toMatchObject({ code: 'client_without_email' });
    await note.as.put('/api/company').send({ name: '' }).expect(200);
    expect((await note.as.post(`${note.path}/send-email`).expect(404)).body).toMatchObject({
      code: 'sender_not_found',
    });
    await note.as.delete(`/api/invoices/${note.invoice.id}`).expect(200);
    expect((await note.as.post(`${note.path}/send-email`).expect(404)).body).toMatchObject({ code: 'not_found' });
  });
});
