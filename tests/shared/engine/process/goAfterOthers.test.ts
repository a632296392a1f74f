import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, readFileSync } from 'node:fs';
import os, { getPriority, setPriority } from 'node:os';
import { goAfterOthers } from '../../../../shared/engine/process';
import { eventually } from '../../../support/eventually';

const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => child.kill('SIGKILL')));

async function started(options: { detached: boolean }): Promise<number> {
  const child = spawn('sleep', ['600'], { ...options, stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

/** How nice the session of a process is; null where Linux does not group by sessions. */
function niceOfSession(pid: number): string | null {
  const path = `/proc/${pid}/autogroup`;
  return existsSync(path) ? readFileSync(path, 'utf8').trim().replace(/.* /, '') : null;
}

test('a process that leads a session › both are as nice as it was told', async () => {
  const pid = await started({ detached: true });
  const isGrouped = niceOfSession(pid) !== null;
  goAfterOthers(15, pid);
  expect(getPriority(pid)).toBe(15);
  expect(niceOfSession(pid)).toBe(isGrouped ? '15' : null);
});

test('a process in the session of another › the session stays as it is', async () => {
  const pid = await started({ detached: false });
  const before = niceOfSession(pid);
  goAfterOthers(15, pid);
  expect(getPriority(pid)).toBe(15);
  expect(niceOfSession(pid)).toBe(before);
});

test('a process that is nicer already › stays so', async () => {
  const pid = await started({ detached: true });
  setPriority(pid, 17);
  goAfterOthers(15, pid);
  expect(getPriority(pid)).toBe(17);
});

test('a process of another user, without the right to change it › keeps what it has', async () => {
  const pid = await started({ detached: true });
  const denied = jest.spyOn(os, 'setPriority').mockImplementation(() => {
    throw Object.assign(new Error('operation not permitted'), { code: 'ERR_SYSTEM_ERROR' });
  });
  goAfterOthers(19, pid);
  expect(denied).toHaveBeenCalledTimes(1);
  denied.mockRestore();
});

// Only Linux has sessions with nice values.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a session that cannot be changed now, since another one just was › is changed later', async () => {
  const pid = await started({ detached: true });
  const write = jest.spyOn(fs, 'writeFileSync').mockImplementation(() => undefined);
  write.mockImplementationOnce(() => {
    throw Object.assign(new Error('resource temporarily unavailable'), { code: 'EAGAIN' });
  });
  goAfterOthers(15, pid);
  await eventually(() => write.mock.calls.length === 2);
  expect(write).toHaveBeenLastCalledWith(`/proc/${pid}/autogroup`, '15');
});
