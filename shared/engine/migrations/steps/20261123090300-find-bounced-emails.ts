import { addKeys } from './Migration';

/** Lets it be found whether e-mails to an address have bounced. */
export default addKeys('emails', { emails_bounced: 'companyId, recipient, bouncedAt' });
