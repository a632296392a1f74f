import type { Config } from '../../config/env';
import { broken, CALL_TIMEOUT_MS, type Check, type Finding, ok, reasonOf } from '../../shared/engine/checks';
import { EmailAccountRefused, EmailRefused, EmailUnavailable } from '../../shared/engine/errors';
import { createEmailTransport } from '../mail';

/** Connects to the mail provider and authenticates, and sends nothing. */
export function mailCheck({ email }: Config): Check {
  return {
    name: 'mail: connection',
    variables: ['EMAIL_TRANSPORT', ...providers[email.transport].variables],
    run: () => checkMail({ ...email, timeoutMs: Math.min(email.timeoutMs, CALL_TIMEOUT_MS) }),
  };
}

const providers = {
  smtp: {
    variables: ['SMTP_URL'],
    address: ({ smtpUrl }: Config['email']) => new URL(smtpUrl).host,
    wrongAccount:
      'Correct SMTP_URL. User and password are parts of a URL: encode @ : / ? # % in them. See docs/install.md#mail.',
    unreachable: 'Correct host, port and smtp:// or smtps:// in SMTP_URL, or let this machine connect to the server.',
  },
  sendgrid: {
    variables: ['SENDGRID_API_KEY', 'SENDGRID_BASE_URL'],
    address: ({ sendgridBaseUrl }: Config['email']) => sendgridBaseUrl,
    wrongAccount: 'Create a key with the permission "Mail Send" at SendGrid, and set it as SENDGRID_API_KEY.',
    unreachable: 'Let this machine connect to SendGrid, or correct SENDGRID_BASE_URL.',
  },
} as const;

async function checkMail(settings: Config['email']): Promise<Finding> {
  const provider = providers[settings.transport];
  const transport = createEmailTransport(settings, 1);
  try {
    await transport.verify();
    return ok(`${provider.address(settings)} would take messages`);
  } catch (error) {
    if (!(error instanceof EmailUnavailable || error instanceof EmailRefused)) throw error;
    const remedy = error instanceof EmailAccountRefused ? provider.wrongAccount : provider.unreachable;
    return broken(`${provider.address(settings)}: ${reasonOf(error)}`, remedy);
  } finally {
    await transport.close();
  }
}
