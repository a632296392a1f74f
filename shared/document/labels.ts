/** Languages in which an invoice can be written. */
export type Language = 'en' | 'id';

/** The words on the page. `page` has the places `{page}` and `{pages}`. */
export interface InvoiceLabels {
  title: string;
  from: string;
  billTo: string;
  invoiceNumber: string;
  issueDate: string;
  dueDate: string;
  taxId: string;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: string;
  subtotal: string;
  tax: string;
  total: string;
  notes: string;
  payOnline: string;
  scanToPay: string;
  page: string;
  stamps: { draft: string; paid: string; overdue: string; cancelled: string };
}

/** Every word that the page shows and nobody typed. */
export const labels: Readonly<Record<Language, InvoiceLabels>> = {
  en: {
    title: 'Invoice',
    from: 'From',
    billTo: 'Bill to',
    invoiceNumber: 'Invoice number',
    issueDate: 'Issue date',
    dueDate: 'Due date',
    taxId: 'Tax ID',
    description: 'Description',
    quantity: 'Quantity',
    unitPrice: 'Unit price',
    amount: 'Amount',
    subtotal: 'Subtotal',
    tax: 'Tax',
    total: 'Total',
    notes: 'Notes',
    payOnline: 'Pay online',
    scanToPay: 'Scan to pay',
    page: 'Page {page} of {pages}',
    stamps: { draft: 'Draft', paid: 'Paid', overdue: 'Overdue', cancelled: 'Cancelled' },
  },
  id: {
    title: 'Faktur',
    from: 'Dari',
    billTo: 'Ditagihkan kepada',
    invoiceNumber: 'Nomor faktur',
    issueDate: 'Tanggal terbit',
    dueDate: 'Jatuh tempo',
    taxId: 'NPWP',
    description: 'Keterangan',
    quantity: 'Kuantitas',
    unitPrice: 'Harga satuan',
    amount: 'Jumlah',
    subtotal: 'Subtotal',
    tax: 'Pajak',
    total: 'Total',
    notes: 'Catatan',
    payOnline: 'Bayar secara daring',
    scanToPay: 'Pindai untuk membayar',
    page: 'Halaman {page} dari {pages}',
    stamps: { draft: 'Draf', paid: 'Lunas', overdue: 'Terlambat', cancelled: 'Dibatalkan' },
  },
};
