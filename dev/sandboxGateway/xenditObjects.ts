import type { SandboxLink } from './SandboxLink';

/** The refunds of a link's payment as one refund of Xendit (API reference, "Refund object"). */
export const xenditRefund = ({ id, refunded = 0, currency, updated }: SandboxLink): object => ({
  id: `rfd-${id}-${Date.parse(updated)}`,
  invoice_id: id,
  amount: refunded,
  currency,
  status: 'SUCCEEDED',
  reason: 'REQUESTED_BY_CUSTOMER',
  created: updated,
  updated,
});

/**
 * A link as one invoice of Xendit (API reference, "Invoice object"). A payment that takes days is `PENDING` at Xendit;
 * here it is `PROCESSING`, so that it can be tried with both providers.
 */
export const xenditInvoice = (link: SandboxLink): object => ({
  ...link,
  status: link.processing === true ? 'PROCESSING' : link.status,
});
