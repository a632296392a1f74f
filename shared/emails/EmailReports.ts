import { groupBy } from '../engine/records';
import { OccasionalWarning } from '../engine/log';
import { placeholders } from '../engine/db';
import type { Services } from '../services';
import { recordReports } from './recordReports';
import type { EmailReport } from './reportRules';

/** Messages of one statement. */
const BATCH = 100;

interface FoundEmail {
  companyId: number;
  id: number;
  invoiceId: number;
  messageId: string;
}

/** Takes authentic reports of the mail provider. Safe to call any number of times with the same reports, and in any order. */
export class EmailReports {
  private readonly unknown: OccasionalWarning;

  constructor(private readonly services: Services) {
    this.unknown = new OccasionalWarning(services.log, 'a report about no e-mail of ours');
  }

  /**
   * Records the reports of each e-mail in a transaction of its own, in their order. One that fails does not keep the others from being recorded;
   * the provider repeats all of them.
   * @throws what the first one failed with, after the others.
   */
  async receive(provider: string, reports: readonly EmailReport[], requestId: string): Promise<void> {
    const byMessage = groupBy(reports, ({ reference }) => reference);
    const references = [...byMessage.keys()];
    const failures: unknown[] = [];
    for (let from = 0; from < references.length; from += BATCH) {
      const wanted = references.slice(from, from + BATCH);
      const found = await this.find(wanted);
      if (found.length < wanted.length) this.unknown.note({ provider, requestId });
      found.sort((a, b) => wanted.indexOf(a.messageId) - wanted.indexOf(b.messageId));
      for (const { companyId, id, invoiceId, messageId } of found) {
        const scope = { companyId, actor: `email:${provider}`, requestId };
        const email = { emailId: id, invoiceId };
        const ofEmail = byMessage.get(messageId) ?? [];
        try {
          await this.services.perform(scope, (uow) => recordReports(uow, email, ofEmail));
        } catch (error) {
          failures.push(error);
        }
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  private find(references: readonly string[]): Promise<FoundEmail[]> {
    return this.services.sql.rows<FoundEmail>(
      `SELECT companyId, id, invoiceId, messageId FROM emails WHERE messageId IN (${placeholders(references.length)})`,
      references,
    );
  }
}
