import { apiKeyEvents } from './apiKeys/events';
import { categoryEvents } from './categories/events';
import { clientEvents } from './clients/events';
import { companyEvents } from './companies/events';
import { creditNoteEvents } from './creditNotes/events';
import { creditNoteEmailEvents } from './emails/creditNoteSent';
import { emailEvents } from './emails/events';
import { reminderEvents } from './emails/reminderOf';
import { expenseEvents } from './expenses/events';
import { invoiceEvents } from './invoices/events';
import type { EventType } from './engine/events';
import { jobEvents } from './engine/jobs';
import { paymentLinkEvents } from './paymentLinks/events';
import { paymentEvents } from './payments/events';
import { receiptEvents } from './receipts/events';
import { webhookEndpointEvents } from './webhooks/events';

const groups: readonly Readonly<Record<string, EventType>>[] = [
  invoiceEvents,
  paymentLinkEvents,
  paymentEvents,
  creditNoteEvents,
  creditNoteEmailEvents,
  emailEvents,
  reminderEvents,
  expenseEvents,
  clientEvents,
  categoryEvents,
  companyEvents,
  receiptEvents,
  apiKeyEvents,
  jobEvents,
  webhookEndpointEvents,
];

/** Every type of event: the documentation and the descriptions of webhooks are made from it. */
export const eventTypes: readonly EventType[] = groups.flatMap((group) => Object.values(group));
