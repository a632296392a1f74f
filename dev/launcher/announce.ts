import { relative } from 'node:path';

/** The facts that `npm start` prints. Undefined: not started by it, or not known. */
export interface Announcement {
  readonly dataDir: string;
  readonly seconds: number;
  readonly baseUrl: string;
  readonly mailboxUrl: string | undefined;
  readonly gatewayUrl: string | undefined;
  readonly receiverUrl: string;
  readonly operatorUrl: string | undefined;
  readonly workerOperatorUrl: string | undefined;
  readonly apiToken: string | undefined;
  readonly clientId: number;
}

/** Returns the text that `npm start` prints: addresses, the key, and a first request to paste. */
export function announcement(of: Announcement): string {
  const folder = relative(process.cwd(), of.dataDir) || of.dataDir;
  const token = of.apiToken ?? '<API key>';
  const day = new Date().toISOString().slice(0, 10);
  const first = {
    clientId: of.clientId,
    issueDate: day,
    dueDate: day,
    taxRate: 11,
    items: [{ description: 'Consulting', quantity: 2, unitPrice: '1500000.00' }],
  };
  const noToken =
    'shown at the first start only; make another: npm run -s cli -- keys create --company 1 --scopes read,write,admin';
  return [
    '',
    `Everything runs (after ${of.seconds.toFixed(1)} s).`,
    '',
    `  API       ${of.baseUrl}`,
    `  Reference ${of.baseUrl}/docs (every operation, to read and to try)`,
    `  API key   ${of.apiToken ?? noToken}`,
    `  Inbox     ${of.mailboxUrl ?? 'none: messages go out through your own mail settings'}`,
    `  Gateway   ${of.gatewayUrl ? `${of.gatewayUrl} (a sandbox)` : 'your own gateway account'}`,
    `  Events    ${of.receiverUrl} (received webhooks)`,
    `  Metrics   ${[of.operatorUrl, of.workerOperatorUrl].map((url) => (url ? `${url}/metrics` : 'none')).join(' (API), ')} (worker)`,
    ...(of.operatorUrl ? [`  Board     ${of.operatorUrl}/board (the queues and their jobs)`] : []),
    `  Data      ${folder} (these values: ${folder}/demo.env; logs: ${folder}/logs)`,
    '',
    'A first invoice, to paste:',
    '',
    `  curl -s ${of.baseUrl}/api/invoices -H 'Authorization: Bearer ${token}' \\`,
    `    -H 'Content-Type: application/json' -d '${JSON.stringify(first)}'`,
    '',
    'Ctrl-C ends everything and keeps the data.',
    '',
  ].join('\n');
}
