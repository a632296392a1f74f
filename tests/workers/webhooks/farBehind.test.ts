import { insertRows } from '../../../shared/engine/db/insert';
import { FairSlots } from '../../../shared/engine/fair';
import { closedPort } from './localEndpoint';
import { Webhooks } from './Webhooks';

test('an endpoint that is far behind, and wants few of the events › rests in a turn of its company after ten thousand of them', async () => {
  const webhooks = await Webhooks.open();
  const { services, clock } = webhooks;
  const companyId = await webhooks.company();
  const nowhere = `http://127.0.0.1:${await closedPort()}/`;
  const narrow = await webhooks.endpoint(companyId, nowhere, ['invoice.paid']);
  const wide = await webhooks.endpoint(companyId, nowhere);
  const [first = 0] = await webhooks.events(companyId, [1], 'invoice.paid');
  const rows = Array.from({ length: 10_050 }, (_, index) => ({
    ...{ companyId, type: 'client.updated', actor: 'test', subjectType: 'client', subjectId: 1, data: '{}' },
    ...{ createdAt: clock.now(), seq: first + 1 + index },
  }));
  await insertRows(services.sql, 'events', rows);
  await services.sql.run('UPDATE event_sequence SET last = ? WHERE id = 1', [first + 10_050]);

  const rest = jest.spyOn(FairSlots.prototype, 'run');
  await webhooks.serve(wide);
  expect(rest).not.toHaveBeenCalled();
  await webhooks.serveAll(narrow);
  expect(new Set(rest.mock.calls.map(([company]) => company))).toEqual(new Set([companyId]));
  expect((await webhooks.reload(narrow)).position).toBe(first + 10_050);
});
