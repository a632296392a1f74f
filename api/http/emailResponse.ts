import type { RequestedEmail, SendInvoiceEmailResult } from '../../shared/emails';
import type { UnitOfWork } from '../../shared/engine/db';
import { named, responseBody } from '../../shared/engine/schemas';
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
  502: 'The mail provider refused the message.',
  504: 'The mail provider did not respond, or the delivery is uncertain (`delivery_uncertain`).',
};

/** Records the request, waits for the message to be sent, and returns the response. @param what was e-mailed: `Invoice` */
export function emailResponse(
  call: Pick<Call, 'inJob'>,
  what: string,
  record: (uow: UnitOfWork) => Promise<RequestedEmail>,
): Promise<RouteResponse> {
  return call.inJob(
    record,
    (result) => {
      const { emailId } = result as SendInvoiceEmailResult;
      return Promise.resolve(ok({ message: `${what} e-mailed successfully`, data: { id: emailId } }));
    },
    'Accepted: the message has not been sent yet; sending it is retried for about two days',
  );
}
