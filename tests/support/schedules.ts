import type { Services } from '../../shared/services';
import { runSchedules } from '../../shared/usecases/recurrence/runSchedules';
import type { Sweep, SweepSubject } from '../../shared/usecases/recurrence/Sweep';

/** What a run of the schedules told. */
export interface Told {
  created: { kind: 'expense' | 'invoice'; companyId: number; seriesId: number; date: string }[];
  overdue: { companyId: number; invoiceId: number }[];
  failed: (SweepSubject & { error: unknown })[];
}

/** Runs all schedules of all companies, by the clock of the services unless `asOf` is given. */
export async function runAllSchedules(
  services: Services,
  options: Partial<Pick<Sweep, 'asOf' | 'wait' | 'signal'>> = {},
  run: (sweep: Sweep) => Promise<void> = runSchedules,
): Promise<Told> {
  const told: Told = { created: [], overdue: [], failed: [] };
  await run({
    services,
    asOf: null,
    wait: true,
    ...options,
    observer: {
      created: (kind, companyId, { seriesId, date }) => told.created.push({ kind, companyId, seriesId, date }),
      overdue: (companyId, invoiceId) => told.overdue.push({ companyId, invoiceId }),
      failed: (subject, error) => told.failed.push({ ...subject, error }),
    },
  });
  return told;
}
