import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { goAfterOthers } from '../../../../shared/engine/process';

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
  goAfterOthers(7, pid);
  expect(getPriority(pid)).toBe(7);
  expect(niceOfSession(pid)).toBe(isGrouped ? '7' : null);
});

test('a process in the session of another › the session stays as it is', async () => {
  const pid = await started({ detached: false });
  const before = niceOfSession(pid);
  goAfterOthers(7, pid);
  expect(getPriority(pid)).toBe(7);
  expect(niceOfSession(pid)).toBe(before);
});
