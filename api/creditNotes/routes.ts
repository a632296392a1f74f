import {
  checkCreditNoteBody,
  creditNoteBatches,
  type CreditNoteInput,
  creditNoteList,
  creditNotesQuery,
  type CreditNotesRequest,
  getCreditNote,
  issueCreditNote,
  listCreditNotes,
  newCreditNoteBody,
  presentCreditNote,
} from '../../shared/creditNotes';
import { type EmailRequest, emailRequest, requestCreditNoteEmail } from '../../shared/emails';
import { creditNotePdf } from '../../shared/invoiceDocuments';
import { type ListQuery, mapEach, mapPage } from '../../shared/engine/records';
import { cursorListOf } from '../../shared/engine/schemas';
import { emailFailures, emailResponse, emailSent } from '../http/emailResponse';
import { pdfFailures, pdfResponse, pdfSuccess } from '../http/pdfResponse';
import { created, ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

const tag = 'Credit notes';
const ofInvoice = '/api/invoices/{id}/credit-notes';
const path = '/api/credit-notes';
const page = { status: 200, description: 'A page of credit notes', schema: cursorListOf(presentCreditNote.schema) };
const csv = { kind: 'credit-notes', row: presentCreditNote.schema };
const { batches } = creditNoteList;

/** Operations on credit notes. They are neither changed nor deleted. */
export const creditNoteRoutes: Route[] = [
  route<CreditNoteInput>({
    operationId: 'createCreditNote',
    method: 'POST',
    path: ofInvoice,
    scope: 'write',
    tag,
    summary: 'Correct a sent invoice by a credit note; without `items`, everything that is left of it',
    body: newCreditNoteBody,
    check: (body) => checkCreditNoteBody(body),
    example: {
      path: { id: 3 },
      body: { reason: 'One hour was not needed', items: [{ description: 'One hour', amount: '600000.00' }] },
    },
    success: {
      headers: ['Location'],
      status: 201,
      description: 'The issued credit note',
      schema: presentCreditNote.schema,
    },
    failures: {
      409: 'The invoice is a draft, is cancelled, has less left than is credited, or has the most credit notes that are allowed.',
    },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const note = await issueCreditNote(uow, call.id, call.body);
        return created(presentCreditNote(note), { Location: `${path}/${note.id}` });
      }),
  }),
  route<unknown, CreditNotesRequest>({
    operationId: 'listInvoiceCreditNotes',
    method: 'GET',
    path: ofInvoice,
    scope: 'read',
    tag,
    summary: 'List the credit notes of an invoice',
    query: creditNotesQuery,
    example: { path: { id: 3 } },
    success: page,
    handle: async ({ services, companyId, id, query }) =>
      ok(mapPage(await listCreditNotes(services.sql, companyId, id, query), presentCreditNote)),
    csv: {
      ...csv,
      batches: ({ services, companyId, id, query }) =>
        mapEach(creditNoteBatches(services.sql, companyId, id, query), (notes) => notes.map(presentCreditNote)),
    },
  }),
  route<unknown, ListQuery>({
    operationId: 'listCreditNotes',
    method: 'GET',
    path,
    scope: 'read',
    tag,
    summary: `List credit notes; \`search\` is a substring of ${creditNoteList.searches}`,
    query: creditNoteList.query,
    success: page,
    handle: async ({ services, companyId, query }) =>
      ok(mapPage(await creditNoteList.read(services.sql, companyId, query), presentCreditNote)),
    ...(batches && {
      csv: {
        ...csv,
        batches: ({ services, companyId, query }) =>
          mapEach(batches(services.sql, companyId, query), (notes) => notes.map(presentCreditNote)),
      },
    }),
  }),
  route({
    operationId: 'getCreditNote',
    method: 'GET',
    path: `${path}/{id}`,
    scope: 'read',
    tag,
    summary: 'Get a credit note',
    success: { status: 200, description: 'The credit note', schema: presentCreditNote.schema },
    handle: async ({ services, companyId, id }) =>
      ok(presentCreditNote(await getCreditNote(services.sql, companyId, id))),
  }),
  route({
    operationId: 'downloadCreditNotePdf',
    method: 'GET',
    path: `${path}/{id}/pdf`,
    scope: 'read',
    tag,
    summary: 'Download the credit note as a PDF',
    success: pdfSuccess,
    failures: pdfFailures,
    handle: async (call) => {
      const pdf = await creditNotePdf(call.services, call, call.id);
      return pdfResponse(call, pdf, `credit-note-${pdf.number}.pdf`);
    },
  }),
  route<EmailRequest>({
    operationId: 'sendCreditNoteEmail',
    method: 'POST',
    path: `${path}/{id}/send-email`,
    scope: 'write',
    tag,
    summary: 'E-mail the credit note, to the client of its invoice if no other address is given',
    body: emailRequest,
    example: { body: { message: 'We have corrected your invoice.' } },
    success: { status: 200, description: 'The provider has accepted the message', schema: emailSent },
    failures: { ...emailFailures, 404: 'The credit note, its invoice or the sender information is not found.' },
    handle: (call) =>
      emailResponse(call, 'Credit note', async (uow) => {
        const { invoiceId } = await getCreditNote(uow.sql, call.companyId, call.id);
        return requestCreditNoteEmail(uow, { invoiceId, creditNoteId: call.id }, call.body);
      }),
  }),
];
