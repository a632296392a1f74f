import { updateCompany } from '../../../shared/companies';
import { addDays, type DateOnly, dayIn } from '../../../shared/dates/dates';
import { toSqlTime } from '../../../shared/engine/db';
import { updateInvoice } from '../../../shared/invoices';
import { dueAtOf } from '../../../shared/recurrence';
import type { Fault } from '../Fault';
import { playCalendar } from '../playCalendar';
import { timezoneAt } from '../timezoneAt';
import type { World } from '../World';

/** Due dates of each series: today and the missed ones before. */
const dates = 3;

export const killedSeries: Fault = {
  name: 'killed-series',
  what: 'kill -9 of one worker after the other while invoices of series are created and e-mailed on their days',
  recoversWithin: 30,
  mayBeUncertain: true,
  play: (world, random, options) =>
    playCalendar(world, random, options, {
      addresses: { full: 400, quick: 20 },
      each: dates,
      seed: seedDue,
      are: 'e.invoiceId IN (SELECT i.id FROM invoices i WHERE i.companyId = e.companyId AND i.seriesId IS NOT NULL)',
      check: wrongDates,
    }),
};

/** Creates daily series that end today and have missed all dates before. */
async function seedDue(world: World, count: number): Promise<string[]> {
  const { services } = world.installation;
  const { companyId } = world;
  const scope = { companyId, actor: 'proof' };
  const timezone = timezoneAt(services.clock.now());
  const today = dayIn(timezone, services.clock.now());
  await services.perform(scope, (uow) => updateCompany(uow, { timezone }));
  const addresses: string[] = [];
  const tomorrow = addDays(today, 1) as DateOnly;
  for (let index = 0; index < count; index++) {
    const { invoiceId, email } = await world.subject();
    const series = { issueDate: today, dueDate: tomorrow, recurring: 'daily', autoSend: true } as const;
    await services.perform(scope, (uow) => updateInvoice(uow, invoiceId, series));
    addresses.push(email);
  }
  const first = addDays(today, 1 - dates) as DateOnly;
  await services.sql.run(
    `UPDATE invoices SET nextDueDate = ?, anchorDate = ?, recurringSince = ?, endsOn = ?, dueAt = ?
      WHERE companyId = ? AND recurring = 'daily'`,
    [first, first, first, today, toSqlTime(dueAtOf(first, timezone)), companyId],
  );
  return addresses;
}

/** Reports series that do not have each date once, and those that have not ended. */
async function wrongDates({ installation, companyId }: World): Promise<string[]> {
  const wrong = await installation.services.sql.rows<{ id: number; made: number; days: number }>(
    `SELECT s.id, COUNT(o.id) AS made, COUNT(DISTINCT o.issueDate) AS days FROM invoices s
       LEFT JOIN invoices o ON o.companyId = s.companyId AND o.seriesId = s.id
      WHERE s.companyId = ? AND s.recurring = 'daily' GROUP BY s.id, s.dueAt
     HAVING made <> ? OR days <> ? OR s.dueAt IS NOT NULL`,
    [companyId, dates, dates],
  );
  return wrong.map(
    ({ id, made, days }) => `series ${id} has ${made} invoices of ${days} days, and should have ${dates}`,
  );
}
