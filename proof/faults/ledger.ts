import type { World } from './World';

/** Events that an invoice of this proof has at most once. */
const onlyOnce = ['invoice.created', 'invoice.sent', 'email.sent', 'invoice.payment_link.created'];

/**
 * Compares the mail server with the records of the company: each Message-ID was received once, the messages are those
 * recorded as sent, and each effect has one event. Returns the differences.
 */
export async function compareLedgers(world: World): Promise<string[]> {
  const { sql } = world.installation.services;
  const received = await messageIds(world);
  const emails = await sql.rows<{ messageId: string }>(
    "SELECT messageId FROM emails WHERE companyId = ? AND status = 'sent'",
    [world.companyId],
  );
  const sent = new Set(emails.map(({ messageId }) => messageId));
  const distinct = new Set(received);
  const repeated = await sql.rows<{ type: string; subjectId: number }>(
    `SELECT type, subjectId FROM events WHERE companyId = ? AND type IN (${onlyOnce.map(() => '?').join(', ')}) GROUP BY type, subjectId HAVING COUNT(*) > 1`,
    [world.companyId, ...onlyOnce],
  );
  const count = async (statement: string): Promise<number> =>
    Number((await sql.rows<{ count: number }>(statement, [world.companyId]))[0]?.count);
  const pairs: [string, number, number][] = [
    [
      'invoices and their events',
      await count('SELECT COUNT(*) AS count FROM invoices WHERE companyId = ?'),
      await count("SELECT COUNT(*) AS count FROM events WHERE companyId = ? AND type = 'invoice.created'"),
    ],
    [
      'e-mails recorded as sent and their events',
      sent.size,
      await count("SELECT COUNT(*) AS count FROM events WHERE companyId = ? AND type = 'email.sent'"),
    ],
    ['received messages and their Message-IDs', received.length, distinct.size],
    [
      'received messages and e-mails recorded as sent',
      distinct.size,
      [...distinct].filter((id) => sent.has(id)).length,
    ],
    ['e-mails recorded as sent and received messages', sent.size, [...sent].filter((id) => distinct.has(id)).length],
  ];
  return [
    ...pairs.filter(([, one, other]) => one !== other).map(([what, one, other]) => `${what}: ${one} and ${other}`),
    ...repeated.map(({ type, subjectId }) => `more than one event ${type} of invoice ${subjectId}`),
  ];
}

/** Returns the Message-IDs of all messages to clients of the company, repeated ones too. */
async function messageIds({ installation, companyId }: World): Promise<string[]> {
  const to = encodeURIComponent(`@client-${companyId}.example`);
  const response = await fetch(`${installation.mailboxUrl}/api/messages?limit=1000000&to=${to}`);
  return ((await response.json()) as { messageId: string | null }[]).map(({ messageId }) => messageId ?? '');
}
