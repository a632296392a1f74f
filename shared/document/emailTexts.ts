import type { InvoiceDocument } from './InvoiceDocument';
import type { Language } from './labels';

/** The sentences of the message that brings an invoice. */
export interface EmailTexts {
  subject(invoice: InvoiceDocument): string;
  greeting(invoice: InvoiceDocument): string;
  /** What the message is about, by the state of the invoice. */
  introduction(invoice: InvoiceDocument): string;
  amountDue: string;
  /** In the place of `amountDue` once nothing is due any more. */
  amountPaid: string;
  dueDate: string;
  payNow: string;
  /** Before the bare address, for clients that do not show the button. */
  orOpen: string;
  thanks: string;
}

const english: EmailTexts = {
  subject: (invoice) => `Invoice ${invoice.invoiceNumber} from ${invoice.sender.name}`,
  greeting: (invoice) => `Hello ${invoice.client.name},`,
  introduction: (invoice) => {
    const subject = `invoice ${invoice.invoiceNumber} from ${invoice.sender.name}`;
    if (invoice.status === 'paid') return `Attached is ${subject}. It has been paid, thank you.`;
    if (invoice.status === 'overdue') return `Attached is ${subject}. By our records its due date has passed.`;
    return `Attached is ${subject}.`;
  },
  amountDue: 'Amount due',
  amountPaid: 'Amount paid',
  dueDate: 'Due date',
  payNow: 'Pay online',
  orOpen: 'Or open this address:',
  thanks: 'Thank you,',
};

const indonesian: EmailTexts = {
  subject: (invoice) => `Faktur ${invoice.invoiceNumber} dari ${invoice.sender.name}`,
  greeting: (invoice) => `Yth. ${invoice.client.name},`,
  introduction: (invoice) => {
    const subject = `faktur ${invoice.invoiceNumber} dari ${invoice.sender.name}`;
    if (invoice.status === 'paid') return `Terlampir ${subject}. Faktur ini telah lunas, terima kasih.`;
    if (invoice.status === 'overdue')
      return `Terlampir ${subject}. Menurut catatan kami, faktur ini telah jatuh tempo.`;
    return `Terlampir ${subject}.`;
  },
  amountDue: 'Jumlah yang harus dibayar',
  amountPaid: 'Jumlah yang telah dibayar',
  dueDate: 'Jatuh tempo',
  payNow: 'Bayar secara daring',
  orOpen: 'Atau buka alamat ini:',
  thanks: 'Terima kasih,',
};

/** The sentences by language. */
export const emailTexts: Readonly<Record<Language, EmailTexts>> = { en: english, id: indonesian };
