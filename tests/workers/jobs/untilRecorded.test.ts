import { AppError, ServiceUnavailable } from '../../../shared/engine/errors';
import { createLogger } from '../../../shared/engine/log/log';
import { LeaseLost } from '../../../workers/jobs/JobRun';
import type { Lease } from '../../../workers/jobs/Lease';
import { untilRecorded } from '../../../workers/jobs/untilRecorded';

const log = createLogger('silent', 'test');
const unreachable = new ServiceUnavailable('the database');
let steps: string[];
let lost: AbortController;
let shutdown: AbortController;

beforeEach(() => {
  steps = [];
  [lost, shutdown] = [new AbortController(), new AbortController()];
});

/** Runs a transaction of which each try but the last fails like this; `onRenewal` runs when the lease is renewed. */
function recorded(failures: readonly Error[], onRenewal: () => void = () => undefined): Promise<string> {
  const left = [...failures];
  const lease = {
    throwIfLost: () => lost.signal.throwIfAborted(),
    renew: () => {
      steps.push('renew');
      onRenewal();
      return Promise.resolve();
    },
  } as unknown as Lease;
  return untilRecorded(log, lease, shutdown.signal, () => {
    steps.push('record');
    const failure = left.shift();
    return failure === undefined ? Promise.resolve('recorded') : Promise.reject(failure);
  });
}

describe('what an effect has to record', () => {
  test('while MySQL is unreachable › is retried, and the lease renewed before each retry', async () => {
    const lockTimeout = Object.assign(new Error('locked'), { errno: 1205 });
    expect(await recorded([unreachable, lockTimeout])).toBe('recorded');
    expect(steps).toEqual(['record', 'renew', 'record', 'renew', 'record']);
  });

  test('when another run has claimed the job meanwhile › is left to that run', async () => {
    const lose = (): void => lost.abort(new LeaseLost());
    await expect(recorded([unreachable, unreachable], lose)).rejects.toThrow(LeaseLost);
    expect(steps).toEqual(['record', 'renew']);
  });

  test.each([new TypeError('a bug'), new AppError('not_found', 'deleted', { status: 404 }), new LeaseLost()])(
    'and fails by an error that no retry helps (%s) › is not retried',
    async (error) => {
      await expect(recorded([error])).rejects.toBe(error);
      expect(steps).toEqual(['record']);
    },
  );

  test('when the process has to end › is tried once more, without the pause', async () => {
    shutdown.abort();
    await expect(recorded([unreachable, unreachable])).rejects.toBe(unreachable);
    expect(steps).toEqual(['record']);
    steps = [];
    shutdown = new AbortController();
    setImmediate(() => shutdown.abort());
    await expect(recorded([unreachable, unreachable, unreachable])).rejects.toBe(unreachable);
    expect(steps).toEqual(['record', 'renew', 'record']);
  });
});
