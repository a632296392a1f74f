import type { UnitOfWork } from '../engine/db';

/** An e-mail that the mail provider has accepted, with the transaction that records it. */
export interface SentEmail {
  readonly uow: UnitOfWork;
  readonly email: { emailId: number; invoiceId: number; recipient: string };
}
