import type { EmailRequest, RequestedEmail, SendInvoiceEmailResult } from '../../shared/emails';
import type { UnitOfWork } from '../../shared/engine/db';
import { named, responseBody } from '../../shared/engine/schemas';
import { tooManyRequests } from './middleware/rateLimit';
import type { Call } from './routing/Call';
import { ok, type RouteResponse } from './routing/RouteResponse';

/** What a request to e-mail a document responds with once the provider has accepted the message. */
export const emailSent = named(
  'EmailSent',
  responseBody({ message: { type: 'string' }, data: responseBody({ id: { type: 'string' } }) }),
);

/** How such a request fails, whatever the document is. */
export const emailFailures = {
  202: 'The job has not ended yet; `Location` shows it.',
  400: 'The client has no e-mail address.',
  429: '`rate_limited`: e-mails of the company went to too many recipients in the last 24 hours.',
  502: 'The mail provider refused the message.',
  504: 'The mail provider did not respond, or the delivery is uncertain (`delivery_uncertain`).',
};

/**
 * Counts the recipients, records the request, waits for the message to be sent, and returns the response.
 * @param what was e-mailed: `Invoice`
 */
export async function emailResponse(
  call: Call<EmailRequest>,
  what: string,
  record: (uow: UnitOfWork) => Promise<RequestedEmail>,
): Promise<RouteResponse> {
  await countRecipients(call);
  return call.inJob(
    record,
    (result) => {
      const { emailId } = result as SendInvoiceEmailResult;
      return Promise.resolve(ok({ message: `${what} e-mailed successfully`, data: { id: emailId } }));
    },
    'Accepted: the message has not been sent yet; sending it is retried for about two days',
  );
}

/** All companies share the good name of one mail server: none may write to any number of strangers. */
async function countRecipients({ companyId, body, services: { recipients }, turn }: Call<EmailRequest>): Promise<void> {
  if (recipients === null) return;
  const { to = [], cc = [] } = body;
  // Without addresses in `to`, the client gets it.
  const count = Math.max(1, to.length) + cc.length;
  const { isExceeded, msBeforeNext } = await turn.aside(() => recipients.use(companyId, count));
  if (isExceeded) throw tooManyRequests(msBeforeNext, 'recipients of e-mails');
}
