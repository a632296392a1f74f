import { type InvoiceRecord, presentInvoice } from '../../shared/invoices';
import { named, responseBody } from '../../shared/engine/schemas';

/** The fields of an invoice that create-gateway-invoice returns: with `taxAmount`, without client and items. */
const shown = [
  ...['id', 'companyId', 'clientId', 'invoiceNumber', 'status', 'issueDate', 'dueDate', 'total', 'subtotal'],
  ...[
    'taxAmount',
    'currency',
    'notes',
    'gatewayInvoiceId',
    'gatewayInvoiceUrl',
    'createdAt',
    'updatedAt',
    'softDelete',
  ],
];

/** The body of create-gateway-invoice. */
export function presentPaymentLink(invoice: InvoiceRecord): object {
  const fields = presentInvoice(invoice) as Record<string, unknown>;
  const all = { ...fields, taxAmount: fields.tax };
  return {
    message: 'Payment link created successfully',
    gatewayInvoiceUrl: invoice.gatewayInvoiceUrl,
    invoice: Object.fromEntries(shown.map((name) => [name, all[name as keyof typeof all]])),
  };
}

const properties = presentInvoice.schema.properties as Record<string, object>;
const linkProperties: Record<string, object> = {
  ...properties,
  taxAmount: properties.tax as object,
  gatewayInvoiceId: { type: 'string' },
  gatewayInvoiceUrl: { type: 'string', format: 'uri' },
};

export const paymentLinkSchema = named(
  'PaymentLink',
  responseBody({
    message: { type: 'string' },
    gatewayInvoiceUrl: { type: 'string', format: 'uri' },
    invoice: named(
      'InvoiceWithPaymentLink',
      responseBody(Object.fromEntries(shown.map((name) => [name, linkProperties[name] as object]))),
    ),
  }),
);
