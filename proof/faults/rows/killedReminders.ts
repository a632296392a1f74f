import { updateCompany } from '../../../shared/companies';
import { dayIn } from '../../../shared/dates/dates';
import { createInvoice, type InvoiceInput } from '../../../shared/invoices';
import { newInvoice } from '../../isolation/newInvoice';
import type { Fault } from '../Fault';
import { playCalendar } from '../playCalendar';
import { timezoneAt } from '../timezoneAt';
import type { World } from '../World';

export const killedReminders: Fault = {
  name: 'killed-reminders',
  what: 'kill -9 of one worker after the other while reminders of one day are recorded and sent',
  recoversWithin: 30,
  mayBeUncertain: true,
  play: (world, random, options) =>
    playCalendar(world, random, options, {
      addresses: { full: 1_000, quick: 40 },
      each: 1,
      seed: seedDue,
      are: "e.kind = 'reminder'",
    }),
};

/** Creates sent invoices whose reminder is due today. */
async function seedDue(world: World, count: number): Promise<string[]> {
  const { services } = world.installation;
  const scope = { companyId: world.companyId, actor: 'proof' };
  const timezone = timezoneAt(services.clock.now());
  const dueDate = dayIn(timezone, services.clock.now());
  const addresses: string[] = [];
  for (let index = 0; index < count; index++) {
    const { clientId, email } = await world.subject();
    const body = { ...(newInvoice(clientId) as InvoiceInput), issueDate: dueDate, dueDate, status: 'sent' as const };
    await services.perform(scope, (uow) => createInvoice(uow, body));
    addresses.push(email);
  }
  await services.perform(scope, (uow) => updateCompany(uow, { timezone, reminderDays: [0] }));
  return addresses;
}
