import sharp from 'sharp';
import { Company } from '../../../shared/models';
import { Event, StoredFile } from '../../support/models';
import { drawTimes } from '../../../shared/companies/logo/drawLogo';
import { drawProcesses, photo, pixelAt, slowDrawing } from '../../support/drawings';
import { eventually } from '../../support/eventually';
import { createCompany, createInvoice, createKey } from '../../support/factories';
import { png, svg } from '../../support/images';
import { startApi, type Caller, type TestApi } from '../../support/server';
import { loadInvoiceDocument } from '../../../shared/invoiceDocuments';

interface CompanyBody {
  id: number;
  updatedAt: string;
  logoUrl: string | null;
}

let api: TestApi;
let companyId: number;
let caller: Caller;

// On a busy machine a drawing may take longer than its deadline. These tests are about its processor time.
beforeEach(() => void jest.replaceProperty(drawTimes, 'deadlineMs', 120_000));
beforeAll(async () => {
  api = await startApi({ env: { PUBLIC_URL: 'https://billing.example.com/' } });
});
beforeEach(async () => {
  const company = await createCompany(api.services, { name: 'Sender', email: 'billing@sender.example' });
  companyId = company.companyId;
  caller = api.as(company.token);
});

const upload = (bytes: Buffer, fileName = 'logo', field = 'logo') =>
  caller.put('/api/company/logo').attach(field, bytes, fileName);

describe('the company', () => {
  test('is the one that the key belongs to, with its defaults', async () => {
    const { body } = await caller.get('/api/company').expect(200);
    const { createdAt, updatedAt } = body as CompanyBody & { createdAt: string };
    expect(body).toEqual({
      id: companyId,
      name: 'Sender',
      email: 'billing@sender.example',
      phone: null,
      address: null,
      taxId: null,
      currency: 'IDR',
      locale: 'en',
      timezone: 'Asia/Jakarta',
      invoiceNumberFormat: 'INV-{YYYY}-{SEQ:5}',
      creditNoteNumberFormat: 'CN-{YYYY}-{SEQ:5}',
      brandColor: null,
      gatewayProvider: null,
      paymentInstructions: null,
      reminderDays: [],
      logoUrl: null,
      createdAt,
      updatedAt,
    });
  });

  test('changes only in what is given, and what GET returned can be PUT back', async () => {
    const before = (await caller.get('/api/company')).body as CompanyBody;
    const changes = { address: 'Jl. Sudirman 1\nJakarta', currency: 'USD', locale: 'id', timezone: 'Europe/Berlin' };
    const changed = (await caller.put('/api/company').send(changes).expect(200)).body as CompanyBody;
    expect(changed).toEqual({ ...before, ...changes, updatedAt: changed.updatedAt });
    const again = (await caller.put('/api/company').send(changed).expect(200)).body as CompanyBody;
    expect(again).toEqual({ ...changed, updatedAt: again.updatedAt });
    expect(before.updatedAt < changed.updatedAt && changed.updatedAt < again.updatedAt).toBe(true);
    expect((await caller.get('/api/company')).body).toEqual(again);
    const event = await Event.findOne({ where: { companyId, type: 'company.updated' }, rejectOnEmpty: true });
    expect(JSON.parse(event.data)).toMatchObject({ changed: { currency: ['IDR', 'USD'] } });
  });

  test('may have no name and no e-mail address: then no invoice can be sent, 404', async () => {
    const { id } = await createInvoice(api.services, companyId);
    for (const missing of [{ email: null }, { email: 'a@b.example', name: '' }]) {
      await caller.put('/api/company').send(missing).expect(200);
      await caller.post(`/api/invoices/${id}/send-email`).expect(404);
    }
  });

  test('has a colour, with which its documents have another key, but for those that were sent before', async () => {
    const [draft, sent] = [
      await createInvoice(api.services, companyId),
      await createInvoice(api.services, companyId, { status: 'sent' }),
    ];
    const documentOf = ({ id }: { id: number }) => loadInvoiceDocument(api.services, companyId, id);
    const before = [await documentOf(draft), await documentOf(sent)];
    const { body } = await caller.put('/api/company').send({ brandColor: '#0f766e' }).expect(200);
    expect(body).toMatchObject({ brandColor: '#0f766e' });
    const after = [await documentOf(draft), await documentOf(sent)];
    expect(after.map(({ document }) => document.color)).toEqual(['#0f766e', '#1e3a8a']);
    expect(after[0]?.key).not.toBe(before[0]?.key);
    expect(after[1]?.key).toBe(before[1]?.key);
    await caller.put('/api/company').send({ brandColor: null }).expect(200);
    expect((await documentOf(draft)).key).toBe(before[0]?.key);
  });

  test('gives new invoices its currency and its numbers', async () => {
    await caller.put('/api/company').send({ currency: 'EUR', invoiceNumberFormat: '{YYYY}/{MM}-{SEQ:3}' }).expect(200);
    const invoice = await createInvoice(api.services, companyId, { issueDate: '2026-03-01', dueDate: '2026-03-31' });
    expect(invoice).toMatchObject({ currency: 'EUR', invoiceNumber: '2026/03-001' });
  });

  test.each([
    ['name', null],
    ['name', 'n'.repeat(256)],
    ['email', ''],
    ['email', 'nobody'],
    ['email', 'josé@sender.example'],
    ['email', 'bill\u0000ing@sender.example'],
    ['email', 'bill\ud83eing@sender.example'],
    ['address', Array(21).fill('x').join('\n')],
    ['currency', 'XXZ'],
    ['currency', null],
    ['locale', 'not a locale'],
    ['locale', 'en-'.repeat(93_000)],
    ['timezone', 'Mars/Olympus'],
    ['timezone', '+07:00'],
    ['invoiceNumberFormat', 'INV'],
    ['invoiceNumberFormat', '{SEQ:5}{SEQ:5}'],
    ['invoiceNumberFormat', '{YYYY}{MM}{YYYY}{MM}{YYYY}{MM}{YYYY}{MM}{YYYY}{SEQ:1}'],
    ['brandColor', 'red'],
    ['brandColor', '#fff'],
    ['brandColor', '#0f766e;'],
    ['brandColor', ''],
    ['reminderDays', '-3,0'],
    ['reminderDays', Array.from({ length: 11 }, (_, day) => day)],
    ['reminderDays', null],
    ['logoKey', 'logo/1/x.png'],
  ])('refuses %s = %j with 400', async (field, value) => {
    const { body } = await caller
      .put('/api/company')
      .send({ [field]: value })
      .expect(400);
    expect((body as { errors: { path: string }[] }).errors[0]?.path).toBe(field);
  });

  test.each([[[-61]], [[181]], [[1.5]], [[7, 7]]])('refuses reminders on days %j with 400', async (reminderDays) => {
    const { body } = await caller.put('/api/company').send({ reminderDays }).expect(400);
    expect((body as { errors: { path: string }[] }).errors[0]?.path).toMatch(/^reminderDays/);
  });

  test('has its address in ASCII, also with an internationalised domain', async () => {
    const { body } = await caller.put('/api/company').send({ email: 'info@bücher.example' }).expect(200);
    expect(body).toMatchObject({ email: 'info@xn--bcher-kva.example' });
  });

  test('is changed only in the version that If-Match names', async () => {
    const { etag } = (await caller.get('/api/company')).headers as { etag: string };
    await caller.put('/api/company').set('If-Match', etag).send({ phone: '1' }).expect(200);
    await caller.put('/api/company').set('If-Match', etag).send({ phone: '2' }).expect(412);
    expect((await caller.get('/api/company')).body).toMatchObject({ phone: '1' });
  });

  test('is out of reach of other companies, and of keys without the scope', async () => {
    const other = await createCompany(api.services, { name: 'Other' });
    expect((await api.as(other.token).get('/api/company')).body).toMatchObject({ id: other.companyId, name: 'Other' });
    const { token } = await createKey(api.services, companyId, { scopes: ['read'] });
    await api.as(token).get('/api/company').expect(200);
    await api.as(token).put('/api/company').send({}).expect(403);
    await api.as(token).put('/api/company/logo').attach('logo', png(), 'a.png').expect(403);
    await api.as().get('/api/company').expect(401);
    await caller.post('/api/company').send({}).expect(405);
  });
});

describe('the logo', () => {
  test.each([
    ['PNG', () => png(9, 9), 9],
    ['JPEG', () => photo(30, 20), 30],
    ['SVG', () => Buffer.from(svg('<rect width="5" height="5"/>')), 528],
  ])('can be a %s, whatever its name and declared type say, and is shown as a PNG', async (_what, image, width) => {
    const before = (await caller.get('/api/company')).body as CompanyBody;
    const { body } = await upload(await image(), 'invoice.pdf').expect(200);
    expect(body).toMatchObject({ id: companyId, logoUrl: 'https://billing.example.com/api/company/logo' });
    expect((body as CompanyBody).updatedAt > before.updatedAt).toBe(true);
    const shown = await caller.get('/api/company/logo').buffer(true).expect(200);
    expect(shown.headers['content-type']).toBe('image/png');
    expect(shown.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
    expect(shown.headers['x-content-type-options']).toBe('nosniff');
    expect(await sharp(shown.body as Buffer).metadata()).toMatchObject({ format: 'png', width });
    const stored = await StoredFile.findOne({ where: { companyId, kind: 'logo' }, rejectOnEmpty: true });
    expect(stored).toMatchObject({ contentType: 'image/png' });
    expect(stored.fileKey).toMatch(new RegExp(`^logo/${companyId}/[0-9a-f]{64}\\.drawn\\.png$`));
    expect(await api.services.files.get(stored.fileKey)).toEqual(shown.body);
    expect(Number(stored.size)).toBe((shown.body as Buffer).length);
    await caller
      .get('/api/company/logo')
      .set('If-None-Match', shown.headers.etag ?? '')
      .expect(304);
  });

  test('that draws for minutes is 400 and delays no other company', async () => {
    const ended: string[] = [];
    const refused = Array.from({ length: 2 }, async () => {
      const { body } = await upload(Buffer.from(slowDrawing)).expect(400);
      ended.push('slow');
      expect(body).toMatchObject({
        errors: [{ path: 'logo', message: 'takes too long to draw; export it as a PNG' }],
      });
    });
    await eventually(() => drawProcesses().length > 0);
    const neighbour = api.as((await createCompany(api.services)).token);
    await neighbour.put('/api/company/logo').attach('logo', png(), 'logo').expect(200);
    ended.push('neighbour');
    await Promise.all(refused);
    expect(ended.at(-1)).toBe('slow');
    expect(drawProcesses()).toEqual([]);
    expect((await caller.get('/api/company')).body).toMatchObject({ logoUrl: null });
  });

  test('that an earlier version stored as an SVG is drawn at its first use, once', async () => {
    const key = `logo/${companyId}/abc.svg`;
    await api.services.files.put(key, Buffer.from(svg('<rect width="5" height="5" fill="red"/>')));
    await Company.update({ logoKey: key }, { where: { id: companyId } });
    const run = jest.spyOn(api.services.drawing, 'run');
    const [first, second] = [await caller.get('/api/company/logo'), await caller.get('/api/company/logo')];
    expect(first.headers['content-type']).toBe('image/png');
    expect(await pixelAt(first.body as Buffer, 25, 25)).toEqual([255, 0, 0, 255]);
    expect(second.body).toEqual(first.body);
    expect(run).toHaveBeenCalledTimes(1);
    run.mockRestore();
  });

  test('can be set again and removed; the file of a sent invoice stays', async () => {
    await upload(png()).expect(200);
    const shown = (await caller.get('/api/company/logo')).body as Buffer;
    await createInvoice(api.services, companyId, { status: 'sent' });
    const [frozen] = await api.services.sql.rows<{ frozenParties: string }>(
      'SELECT frozenParties FROM invoices WHERE companyId = ?',
      [companyId],
    );
    const { logoKey } = JSON.parse(frozen?.frozenParties ?? '{}') as { logoKey: string };
    await upload(png()).expect(200);
    await upload(await photo(9, 9)).expect(200);
    expect((await caller.delete('/api/company/logo').expect(200)).body).toEqual({
      message: 'Logo deleted successfully',
    });
    expect((await caller.get('/api/company')).body).toMatchObject({ logoUrl: null });
    await caller.get('/api/company/logo').expect(404);
    await caller.delete('/api/company/logo').expect(404);
    expect(await api.services.files.get(logoKey)).toEqual(shown);
    expect(await StoredFile.count({ where: { companyId } })).toBe(2);
  });

  test('is refused: 415 for no multipart body, 413 when too large, 400 when it is no picture or not there', async () => {
    expect((await caller.put('/api/company/logo').type('image/png').send(png()).expect(415)).body).toMatchObject({
      code: 'unsupported_media_type',
    });
    await caller.put('/api/company/logo').send({ logo: 'x' }).expect(415);
    const large = Buffer.concat([png(), Buffer.alloc(1024 * 1024)]);
    expect((await upload(large).expect(413)).body).toMatchObject({ code: 'body_too_large' });
    for (const refused of [Buffer.from('GIF89a'), Buffer.alloc(0), png().subarray(0, 40), png(5000, 1)]) {
      expect((await upload(refused).expect(400)).body).toMatchObject({
        code: 'validation_failed',
        errors: [{ path: 'logo' }],
      });
    }
    await upload(png(), 'a.png', 'picture').expect(400);
    await caller.put('/api/company/logo').expect(400);
    expect((await caller.get('/api/company')).body).toMatchObject({ logoUrl: null });
  });

  test('of one company is not another’s', async () => {
    await upload(png()).expect(200);
    const other = await createCompany(api.services);
    await api.as(other.token).get('/api/company/logo').expect(404);
    expect((await api.as(other.token).get('/api/company')).body).toMatchObject({ logoUrl: null });
  });
});
