import { randomUUID } from 'node:crypto';
import { fileBody, jsonOf, type HttpCall, type HttpReply, newInvoice } from '../installation/HttpClient';
import { patienceMs } from './Fault';
import { type Subject, type World } from './World';
import { waitUntil } from '../installation/waiting';
import { dayIn } from '../../shared/dates/dates';

/** A request whose effect must happen exactly once. */
export interface Operation {
  readonly call: HttpCall;
  /** Tests for the expected response. A 202 is always accepted. */
  isRight(reply: HttpReply): boolean;
  /** Counts the effects from outside the service. */
  count(reply: HttpReply | null): Promise<number>;
  /** True if the response does not wait for the effect. */
  readonly isFollowed?: boolean;
}

/** Makes operations of one kind, each with a subject of its own. */
export interface OperationKind {
  readonly name: string;
  make(world: World): Promise<Operation>;
}

/** A payment, from its link to its record in the API. */
export const payLink = {
  /** Makes the invoice's payment link, and waits for it after a 202. @throws {Error} when none is made in time. */
  async prepare(world: World, invoiceId: number): Promise<{ url: string }> {
    const path = `/api/invoices/${invoiceId}/create-gateway-invoice`;
    const { status } = await world.send(world.firstApi, { path, method: 'POST', body: {} });
    const linkOf = async (): Promise<string | null> => {
      const reply = await world.ask(`/api/invoices/${invoiceId}`);
      return reply === null ? null : jsonOf<{ gatewayInvoiceUrl: string | null }>(reply).gatewayInvoiceUrl;
    };
    await waitUntil(async () => (await linkOf()) !== null, status === 202 ? patienceMs : 0);
    const url = await linkOf();
    if (url === null) throw new Error(`no payment link was made (${status})`);
    return { url };
  },

  /** Pays as the client does. The gateway then calls back. */
  async pay(url: string): Promise<void> {
    const response = await fetch(`${url}/pay`, { method: 'POST', headers: { Accept: 'application/json' } });
    if (!response.ok) throw new Error(`the link could not be paid: ${response.status} ${await response.text()}`);
  },

  async isPaid(world: World, invoiceId: number): Promise<boolean> {
    const reply = await world.ask(`/api/invoices/${invoiceId}`);
    return reply !== null && jsonOf<{ status: string }>(reply).status === 'paid';
  },

  /** Counts the recorded payments. */
  async payments({ installation, companyId }: World, invoiceId: number): Promise<number> {
    const [row] = await installation.services.sql.rows<{ count: number }>(
      'SELECT COUNT(*) AS count FROM payments WHERE companyId = ? AND invoiceId = ?',
      [companyId, invoiceId],
    );
    return Number(row?.count ?? 0);
  },
};

const idempotent = (): Record<string, string> => ({ 'Idempotency-Key': randomUUID() });

/** The effect is an invoice of the client. */
export const createInvoice: OperationKind = {
  name: 'create',
  make: async (world) => {
    const { clientId } = await world.subject();
    return {
      call: { path: '/api/invoices', method: 'POST', headers: idempotent(), body: newInvoice(clientId) },
      isRight: ({ status }) => status === 201,
      count: async () => {
        const reply = await world.ask(`/api/invoices?limit=100&clientId=${clientId}`);
        // The client's first invoice is the one that every subject has.
        return reply === null ? 0 : jsonOf<{ data: object[] }>(reply).data.length - 1;
      },
    };
  },
};

/** The effect is a list. A replica may not have the newest invoices yet. */
export const listInvoices: OperationKind = {
  name: 'list',
  make: () =>
    Promise.resolve({
      call: { path: '/api/invoices?limit=10' },
      isRight: ({ status }) => status === 200,
      count: (reply) => Promise.resolve(reply === null ? 0 : 1),
    }),
};

/** The effect is a webhook of the new invoice's event. */
export const receiveWebhook: OperationKind = {
  name: 'webhook',
  make: async (world) => ({
    ...(await createInvoice.make(world)),
    isFollowed: true,
    count: async (reply) => {
      if (reply === null) return 0;
      const events = await world.installation.services.sql.rows<{ seq: number | null }>(
        "SELECT seq FROM events WHERE companyId = ? AND subjectType = 'invoice' AND subjectId = ? AND type = 'invoice.created'",
        [world.companyId, jsonOf<{ id: number }>(reply).id],
      );
      return events.filter(({ seq }) => world.received.has(`evt_${seq}`)).length;
    },
  }),
};

/** The effect is the occurrence of today. The calendar creates it within half a minute. */
export const createSeries: OperationKind = {
  name: 'series',
  make: async (world) => {
    const { services } = world.installation;
    const operation = await createInvoice.make(world);
    const today = dayIn(world.timezone, services.clock.now());
    const series = { issueDate: today, dueDate: today, recurring: 'daily', nextDueDate: today };
    return {
      ...operation,
      call: { ...operation.call, body: { ...(operation.call.body as object), ...series } },
      // Beside the occurrence the client has the invoice that recurs.
      count: async (reply) => Math.max(0, (await operation.count(reply)) - 1),
    };
  },
};

/** The effect is a message. */
export const sendEmail: OperationKind = {
  name: 'email',
  make: async (world) => sendEmailFor(world, await world.subject()),
};

export function sendEmailFor(world: World, { invoiceId, email }: Subject): Operation {
  return {
    call: { path: `/api/invoices/${invoiceId}/send-email`, method: 'POST', headers: idempotent() },
    isRight: ({ status }) => status === 200,
    count: () => world.messagesTo(email),
  };
}

/** The effect is a link that can be paid. */
export const createLink: OperationKind = {
  name: 'link',
  make: async (world) => {
    const { invoiceId } = await world.subject();
    return {
      call: linkCall(invoiceId),
      isRight: ({ status }) => status === 200,
      count: () => openLinks(world, invoiceId),
    };
  },
};

/** The effect is a new link that can be paid, and an old one that cannot. */
export const replaceLink: OperationKind = {
  name: 'replace-link',
  make: async (world) => {
    const { invoiceId } = await world.subject();
    await payLink.prepare(world, invoiceId);
    return {
      call: { ...linkCall(invoiceId), body: { regenerate: true } },
      isRight: ({ status }) => status === 200,
      count: async () => ((await world.gatewayLinks(invoiceId)).length < 2 ? 0 : openLinks(world, invoiceId)),
    };
  },
};

/** The effect is that the link of an invoice that was paid otherwise cannot be paid. */
export const endLink: OperationKind = {
  name: 'end-link',
  make: async (world) => {
    const { invoiceId } = await world.subject();
    await payLink.prepare(world, invoiceId);
    return {
      call: { ...paymentCall(invoiceId), body: { amount: '99999999.00' } },
      isRight: ({ status }) => status === 201,
      count: async () => ((await openLinks(world, invoiceId)) === 0 ? 1 : 0),
    };
  },
};

/** The effect is a payment on record. */
export const recordPayment: OperationKind = {
  name: 'payment',
  make: async (world) => {
    const { invoiceId } = await world.subject();
    return {
      call: { ...paymentCall(invoiceId), body: { amount: '100.00' } },
      isRight: ({ status }) => status === 201,
      count: () => payLink.payments(world, invoiceId),
    };
  },
};

const linkCall = (invoiceId: number): HttpCall => ({
  path: `/api/invoices/${invoiceId}/create-gateway-invoice`,
  method: 'POST',
  headers: idempotent(),
  body: {},
});

const paymentCall = (invoiceId: number): HttpCall => ({
  path: `/api/invoices/${invoiceId}/payments`,
  method: 'POST',
  headers: idempotent(),
});

async function openLinks(world: World, invoiceId: number): Promise<number> {
  return (await world.gatewayLinks(invoiceId)).filter(({ status }) => status === 'PENDING').length;
}

/** The effect is the downloaded file. */
export const downloadPdf: OperationKind = {
  name: 'pdf',
  make: async (world) => {
    const { invoiceId } = await world.subject();
    const isPdf = (body: Buffer): boolean => body.subarray(0, 5).toString() === '%PDF-';
    return {
      call: { path: `/api/invoices/${invoiceId}/pdf` },
      isRight: ({ status, body }) => status === 200 && isPdf(body),
      count: (reply) => Promise.resolve(reply !== null && isPdf(reply.body) ? 1 : 0),
    };
  },
};

/** The effect is the receipt, byte for byte. */
export const uploadReceipt: OperationKind = {
  name: 'receipt',
  make: async (world) => {
    const content = Buffer.from(
      `%PDF-1.4\n%${randomUUID()}\n1 0 obj<<>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n`,
    );
    const { body, headers } = await fileBody('file', content, 'receipt.pdf', 'application/pdf');
    return {
      call: { path: '/api/receipts', method: 'POST', body, headers: { ...headers, ...idempotent() } },
      isRight: ({ status }) => status === 201,
      count: async (reply) => {
        if (reply === null) return 0;
        const { id } = jsonOf<{ id: number }>(reply);
        const stored = await world.ask(`/api/receipts/${id}`);
        return stored?.body.equals(content) === true ? 1 : 0;
      },
    };
  },
};
