import { mebibytes, whole } from './kinds';
import { readBy, type ValuesOf } from './variable';

const forApi = readBy('api');

/** Limits of one API process. They keep one caller from using up what all callers need. */
export const limits = {
  requestsPerCompany: forApi(
    'MAX_REQUESTS_PER_COMPANY',
    whole(1, 100_000, 'requests of one company at the same time', 16),
    '16',
    'Requests of one company that run at the same time, but at most 80 % of `DATABASE_POOL_SIZE`; a sixth of them while another company is active. Further ones wait.',
  ),
  /** 0 is off. */
  recipientsPerDay: readBy('api', 'worker')(
    'EMAIL_RECIPIENTS_PER_DAY',
    whole(0, 100_000_000, 'recipients, 0 for no limit', 20_000),
    '20000',
    'To how many recipients the e-mails of one company may go in 24 hours. Further requests get 429. Further e-mails of the calendar wait for the next 24 hours.',
  ),
  /** Bytes a second that one company sends in bodies and uploads; faster transfers are slowed down. */
  bytesPerSecond: forApi(
    'MAX_RATE_MB',
    mebibytes(1, 1_000_000, 'MiB a second of one company at one API process', 8),
    '8',
    'How fast one company may send bodies and uploads. Faster transfers are slowed down, not refused.',
  ),
  lineWaitMs: forApi(
    'MAX_LINE_WAIT_MS',
    whole(1, 600_000, 'milliseconds', 30_000),
    '30000',
    'How long a request waits for a slot. After that it gets 503 `overloaded`.',
  ),
  unfinishedBodyBytes: forApi(
    'MAX_UNFINISHED_BODIES_MB',
    mebibytes(2, 1_000_000, 'MiB of one API process', 64),
    '64',
    'Memory for JSON bodies until they are parsed. One company gets half of it.',
  ),
  uploadBytes: forApi(
    'MAX_UPLOADS_MB',
    mebibytes(32, 1_000_000, 'MiB on the disk of one API process', 512),
    '512',
    'Disk for uploads until their requests have a response. One company gets half of it.',
  ),
  responseBytes: forApi(
    'MAX_RESPONSES_MB',
    mebibytes(16, 1_000_000, 'MiB of one API process', 64),
    '64',
    'Memory for responses that their readers have not taken yet. One company gets half of it. The operating system may keep four times as much.',
  ),
  connections: forApi(
    'MAX_CONNECTIONS',
    whole(10, 1_000_000, 'connections of one API process', 8_000),
    '8000',
    'Open connections. One more closes one of the address that has most of them: the one that has been idle longest. Addresses without a valid key count together.',
  ),
};

export type LimitsConfig = ValuesOf<typeof limits>;

/** Records of which a company needs few. */
const records = (things: string): ReturnType<typeof whole> => whole(1, 1_000_000, `${things} of one company`, 100);

/** Limits of what one company stores. Invoices, expenses, clients, payments and their events have no limit. */
export const stored = {
  apiKeys: forApi(
    'MAX_API_KEYS',
    records('API keys'),
    '500',
    'API keys of one company that work. With revoked and expired ones, which are removed after 30 days, ten times as many.',
  ),
  webhookEndpoints: forApi(
    'MAX_WEBHOOK_ENDPOINTS',
    records('webhook endpoints'),
    '100',
    'Webhook endpoints of one company. With deleted ones, which are removed after 30 days, ten times as many.',
  ),
  imports: forApi(
    'MAX_UNFINISHED_IMPORTS',
    records('unfinished imports'),
    '10',
    'Imports of one company that are queued or running, each with a file of up to 10 MiB.',
  ),
  categories: forApi(
    'MAX_CATEGORIES',
    records('categories'),
    '1000',
    'Categories of one company. With deleted ones, which are removed after 30 days unless an expense has them, ten times as many.',
  ),
  logos: forApi(
    'MAX_LOGOS',
    records('logos'),
    '100',
    'Stored logos of one company: the current one, those of sent invoices, and those replaced within the last day.',
  ),
  idempotencyKeys: forApi(
    'MAX_IDEMPOTENCY_KEYS',
    whole(100, 1_000_000_000, 'idempotency keys of one company in 24 hours', 1_000_000),
    '1000000',
    'Idempotency keys of one company, each kept for 24 hours with its response.',
  ),
  idempotencyBytes: forApi(
    'MAX_IDEMPOTENCY_MB',
    mebibytes(1, 1_000_000, 'MiB of one company in 24 hours', 2_048),
    '2048',
    'What the idempotency keys of one company take, with their stored responses.',
  ),
  /** PDFs are a cache: beyond this, the least recently read ones are removed. */
  pdfBytes: readBy('worker')(
    'PDF_CACHE_MB',
    mebibytes(1, 1_000_000_000, 'MiB of one company', 2_048),
    '2048',
    'Cached PDFs of one company. Beyond this, those that were not downloaded for longest are removed; they are rendered again when needed.',
  ),
};
