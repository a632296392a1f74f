import { Client } from '../../../shared/models';
import { readPdf } from '../pdf/pdfText';
import { Effects, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});

/** A credit note of 1 of 2 hours of an invoice that was sent. */
async function credited(): Promise<Subject & { path: string; number: string }> {
  const subject = await effects.invoice({ status: 'sent', issueDate: '2026-01-15', invoiceNumber: 'A-1' });
  const items = [{ itemId: subject.invoice.items[0]?.id, quantity: 1 }];
  const body = { reason: 'One hour too many', issueDate: '2026-02-01', notes: 'Sorry', items };
  const response = await subject.as.post(`/api/invoices/${subject.invoice.id}/credit-notes`).send(body).expect(201);
  const { id, creditNoteNumber } = response.body as { id: number; creditNoteNumber: string };
  return { ...subject, path: `/api/credit-notes/${id}`, number: creditNoteNumber };
}

describe('GET /api/credit-notes/{id}/pdf', () => {
  test('prints the credit note: its number, the invoice, the reason, the items and the sums', async () => {
    const { as, path, number, invoice } = await credited();
    const response = await as.get(`${path}/pdf`).expect(200);
    expect(response.headers['content-type']).toBe('application/pdf');
    expect(response.headers['content-disposition']).toBe(`attachment; filename="credit-note-${number}.pdf"`);
    const { title, pages, missingGlyphs } = await readPdf(response.body as Buffer);
    expect({ title, missingGlyphs }).toEqual({ title: `Credit note ${number}`, missingGlyphs: 0 });
    const text = pages[0]?.text.replaceAll(/\s+/g, ' ');
    for (const part of ['A-1 (January 15, 2026)', 'February 1, 2026', invoice.clientName]) expect(text).toContain(part);
    for (const part of ['One hour too many', 'Sorry', 'Consulting 1 100.00 100.00']) expect(text).toContain(part);
    expect(text).toMatch(/Tax \(10%\) .*10\.00 Total .*110\.00/);
    expect(text).not.toContain('220.00');
  });

  test('is kept: it has the same bytes and tag whatever happens to the invoice and its client', async () => {
    const { as, path, invoice, clientId } = await credited();
    const first = await as.get(`${path}/pdf`).expect(200);
    await Client.update({ name: 'Renamed', updatedAt: new Date() }, { where: { id: clientId } });
    await as.put(`/api/invoices/${invoice.id}`).send({ notes: 'Changed', dueDate: '2026-03-01' }).expect(200);
    await as.delete(`/api/invoices/${invoice.id}`).expect(200);
    const again = await as.get(`${path}/pdf`).expect(200);
    expect(again.headers['etag']).toBe(first.headers['etag']);
    expect((again.body as Buffer).equals(first.body as Buffer)).toBe(true);
    await as.get(`${path}/pdf`).set('If-None-Match', String(first.headers['etag'])).expect(304);
  });

  test('the invoice keeps the client that the note is addressed to', async () => {
    const { as, invoice } = await credited();
    const other = await as.post('/api/clients').send({ name: 'Other' }).expect(201);
    const { id: clientId } = other.body as { id: number };
    const { body } = await as.put(`/api/invoices/${invoice.id}`).send({ clientId }).expect(409);
    expect(body).toMatchObject({ code: 'invoice_has_credit_notes' });
    await as.put(`/api/invoices/${invoice.id}`).send({ clientId: invoice.clientId }).expect(200);
  });

  test('shows the credit on the PDF of the invoice, which is rendered anew', async () => {
    const { as, invoice } = await effects.invoice({ status: 'sent', issueDate: '2026-01-15' });
    const before = await as.get(`/api/invoices/${invoice.id}/pdf`).expect(200);
    const items = [{ description: 'Goodwill', amount: '100.00' }];
    await as.post(`/api/invoices/${invoice.id}/credit-notes`).send({ reason: 'Goodwill', items }).expect(201);
    const after = await as.get(`/api/invoices/${invoice.id}/pdf`).expect(200);
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
    const { pages } = await readPdf(after.body as Buffer);
    expect(pages[0]?.text.replaceAll(/\s+/g, ' ')).toMatch(/−.*110\.00 Amount due .*110\.00/);
  });

  test('of another company, or absent › 404', async () => {
    const { path } = await credited();
    const other = await effects.invoice();
    await other.as.get(`${path}/pdf`).expect(404);
    await other.as.get('/api/credit-notes/999999999/pdf').expect(404);
  });
});
