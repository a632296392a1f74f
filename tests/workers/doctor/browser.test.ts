import { loadConfig } from '../../../config/env';
import { runChecks } from '../../../shared/engine/checks/runChecks';
import { browserCheck } from '../../../workers/doctor/browser';
import { workerChecks } from '../../../workers/doctor/checks';

test('the browser of the npm packages › prints; a warning if its sandbox does not work here', async () => {
  const finding = await browserCheck(loadConfig({})).run();
  expect(['ok', 'warning']).toContain(finding.status);
  expect(finding.message).toMatch(finding.status === 'ok' ? /printed \(\d{4,} bytes\)/ : /without its own sandbox/);
});

test.each([
  ['that is missing', '/none/chromium', /CHROME_PATH=\/none\/chromium, which is not an executable file/],
  ['that is no browser', '/bin/false', /\/bin\/false did not start/],
])('a CHROME_PATH %s › broken, with what to do', async (_what, path, message) => {
  const finding = await browserCheck(loadConfig({ CHROME_PATH: path })).run();
  expect(finding).toMatchObject({ status: 'broken', remedy: expect.stringContaining('CHROME_PATH') as string });
  expect(finding.message).toMatch(message);
});

test('a worker of other queues › needs none of them', async () => {
  const checks = workerChecks(loadConfig({ WORKER_QUEUES: 'schedule', CHROME_PATH: '/none' }));
  const results = await runChecks(checks, { wrongVariables: new Set() });
  expect(results.map(({ name, status }) => [name, status])).toEqual([
    ['Chromium: print', 'skipped'],
    ['mail: connection', 'skipped'],
    ['gateway: xendit', 'skipped'],
  ]);
});
