import { checkedBy, emailAddress, flag, httpUrl, matching, oneOf, someOf, text, whole } from './kinds';
import { forQueue } from './forQueue';
import { paymentProviders, providerNames } from './paymentProviders';
import { queueNames } from './queues';
import { sendgridKey } from './sendgridKey';
import { readSmtpUrl } from './serverUrl';
import { readBy } from './variable';

const forWorker = readBy('worker');

/** Variables of a worker. */
export const worker = {
  queues: forWorker(
    'WORKER_QUEUES',
    someOf(queueNames),
    queueNames.join(','),
    'The queues that the process serves. `import` imports files, `webhook` sends events to endpoints, `schedule` creates what recurs and finds overdue invoices.',
  ),
  concurrency: {
    email: forWorker(
      'EMAIL_CONCURRENCY',
      whole(1, 1000, 'jobs at the same time', 10),
      '10',
      'E-mails at the same time in one worker, and the number of SMTP connections that it keeps.',
    ),
    pdf: forWorker(
      'PDF_CONCURRENCY',
      whole(1, 64, 'PDFs at the same time, about one for each core', 2),
      '2',
      'PDFs at the same time in one worker, each in its own browser.',
    ),
    'payment-link': forWorker(
      'PAYMENT_LINK_CONCURRENCY',
      whole(1, 1000, 'jobs at the same time', 10),
      '10',
      'Payment links at the same time in one worker.',
    ),
    import: forWorker(
      'IMPORT_CONCURRENCY',
      whole(1, 64, 'imports at the same time', 2),
      '2',
      'Imports at the same time in one worker. Each uses a connection to MySQL most of the time.',
    ),
    webhook: forWorker(
      'WEBHOOK_CONCURRENCY',
      whole(4, 1000, 'endpoints at the same time', 200),
      '200',
      'Webhook endpoints at the same time in one worker, each with up to 10 requests. A company gets at most a ninth.',
    ),
  },
  commit: forWorker(
    'GIT_COMMIT',
    matching(/^[0-9a-f]{7,64}$/, 'the hash of a commit'),
    '',
    'The commit that was built, shown by `workers list`. The Docker image sets it from its build argument.',
  ),
  healthPort: forWorker(
    'WORKER_HEALTH_PORT',
    whole(0, 65_535, 'a TCP port for /healthz and /readyz of the worker, 0 for none', 3001),
    '0',
    'The port of `/healthz` and `/readyz` of the worker.',
  ),
};

/** The mail provider: the workers call it, the API takes its events. */
export const email = {
  transport: forWorker('EMAIL_TRANSPORT', oneOf(['smtp', 'sendgrid']), 'smtp', 'How e-mails are sent.'),
  smtpUrl: forWorker(
    'SMTP_URL',
    checkedBy((given) => given === '' || readSmtpUrl(given), 'smtp://user:password@host:587'),
    '',
    'The mail server; `smtps://` for TLS from the first byte. User and password are [parts of a URL](install.md#passwords-in-urls).',
    {
      secret: true,
      required: forQueue('email', 'set the mail server, smtp://user:password@host:587', ['EMAIL_TRANSPORT', 'smtp']),
    },
  ),
  sendgridApiKey: forWorker(
    'SENDGRID_API_KEY',
    text('a key, SG.…'),
    '',
    'The key of the SendGrid account, with the permission "Mail Send".',
    {
      secret: true,
      required: forQueue('email', 'set the key that SendGrid shows once, "SG.…"', ['EMAIL_TRANSPORT', 'sendgrid']),
    },
  ),
  sendgridBaseUrl: forWorker(
    'SENDGRID_BASE_URL',
    httpUrl('https://api.eu.sendgrid.com'),
    'https://api.sendgrid.com',
    'The API of SendGrid, or a stand-in for tests.',
  ),
  sendgridWebhookPublicKey: readBy('api')(
    'SENDGRID_WEBHOOK_PUBLIC_KEY',
    sendgridKey,
    '',
    'The verification key of the [Signed Event Webhook](install.md#mail). Without it the API refuses all events of SendGrid.',
  ),
  /** Address in `From`; empty means the company's own. The company's is then `Reply-To`. */
  fromAddress: forWorker(
    'MAIL_FROM',
    emailAddress,
    '',
    "The `From` address of every e-mail; the company's own then becomes `Reply-To`. Empty: each company's own address.",
  ),
  /** Messages of all workers together; 0 is no limit. */
  ratePerSecond: forWorker(
    'EMAIL_RATE_PER_SECOND',
    whole(0, 10_000, 'messages a second, 0 for no limit', 14),
    '0',
    'How many messages all workers together hand to the mail provider. Give all workers the same value.',
  ),
  timeoutMs: forWorker(
    'EMAIL_TIMEOUT_MS',
    whole(100, 120_000, 'milliseconds', 10_000),
    '10000',
    'How long a request to the mail provider may take.',
  ),
};

/** The payment gateway: the workers call it, the API takes its callbacks. */
export const gateway = {
  provider: readBy('api', 'worker')('GATEWAY_PROVIDER', oneOf(providerNames), 'xendit', 'The payment gateway.'),
  providers: paymentProviders,
  /**
   * Requests of all workers together; 0 is no limit. The default is Xendit's limit of a live account, which counts by the minute
   * (https://docs.xendit.co/apidocs/rate-limits): without a rate, one company could use up a minute of all companies in seconds.
   */
  ratePerSecond: forWorker(
    'GATEWAY_RATE_PER_SECOND',
    whole(0, 10_000, 'requests a second, 0 for no limit', 10),
    '10',
    'How many requests all workers together send to the gateway, see [its limits](run.md#stay-below-the-limits-of-a-provider). Give all workers the same value.',
  ),
  timeoutMs: forWorker(
    'GATEWAY_TIMEOUT_MS',
    whole(100, 120_000, 'milliseconds', 10_000),
    '10000',
    'How long a request to the gateway may take. Its outcome is then unknown, and the next attempt looks for the link first.',
  ),
  linkDurationSeconds: forWorker(
    'PAYMENT_LINK_DURATION_SECONDS',
    whole(60, 365 * 86_400, 'seconds', 30 * 86_400),
    '2592000',
    'How long a new payment link can be paid: 30 days by default.',
  ),
};

/** The browser that prints PDFs. */
export const chrome = {
  path: forWorker(
    'CHROME_PATH',
    text('a file, for example /usr/bin/chromium'),
    '',
    'A Chrome or Chromium binary. Empty: the one of the npm packages, or one of the machine.',
  ),
  allowNoSandbox: forWorker(
    'CHROME_ALLOW_NO_SANDBOX',
    flag,
    'false',
    '`true` lets production run Chromium without [its own sandbox](install.md#chromium).',
  ),
};
