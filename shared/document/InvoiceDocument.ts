/** Who sends or receives an invoice, as printed. Frozen on the invoice once it leaves `draft`. */
export interface Party {
  name: string;
  email: string | null;
  phone: string | null;
  /** May have several lines. */
  address: string | null;
  taxId: string | null;
}

/** What an invoice says, loaded from MySQL: plain data, exact decimals as strings, dates as `YYYY-MM-DD`. */
export interface InvoiceDocumentSource {
  invoiceNumber: string;
  status: 'draft' | 'sent' | 'paid' | 'overdue' | 'cancelled';
  issueDate: string;
  dueDate: string;
  currency: string;
  taxRate: string;
  subtotal: string;
  tax: string;
  total: string;
  notes: string;
  items: { description: string; quantity: string; unitPrice: string; amount: string }[];
  sender: Party;
  client: Party;
  /** BCP 47, the client's or else the company's; unknown ones fall back to English. */
  locale: string;
  /** File-store key of the sender's logo; its name is the hash of its content. */
  logoKey: string | null;
  /** The payment link when one can be paid, else null. */
  paymentUrl: string | null;
}
