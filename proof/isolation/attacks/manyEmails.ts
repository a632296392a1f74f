import type { Attack } from '../Attack';

const waitMs = 5_000;
const requests = (quick: boolean): number => (quick ? 1_000 : 3_000);

export const manyEmails: Attack = {
  name: 'many-emails',
  what: '3,000 send-emails at the same time (with --quick 1,000), and no worker for e-mails and webhooks runs',
  without: ['email', 'delivery'],
  variables: { WORKER_QUEUES: 'pdf,payment-link,schedule', JOB_WAIT_MS: String(waitMs) },
  prepare: (ground) => ground.newCompany(100),
  run: async (attacker, signal) => {
    const { invoiceIds } = attacker.company;
    const one = async (index: number): Promise<void> => {
      const begun = Date.now();
      try {
        const path = `/api/invoices/${invoiceIds[index % invoiceIds.length]}/send-email`;
        await attacker.send({ path, method: 'POST', signal: AbortSignal.timeout(60_000) });
        if (Date.now() - begun > 30_000) attacker.count('later than 30 s');
      } catch (error) {
        attacker.count((error as NodeJS.ErrnoException).code ?? (error as Error).name);
      }
    };
    // Continues after an interruption, because every request has to be accepted.
    await Promise.all(Array.from({ length: requests(attacker.quick) }, (_, index) => one(index)));
    void signal;
  },
  judge: ({ counts }) => {
    const others = Object.entries(counts).filter(([what]) => what !== '202');
    if (others.length === 0) return null;
    return `not every send-email was accepted in time: ${others.map(([what, count]) => `${what} × ${count}`).join(', ')}`;
  },
};
