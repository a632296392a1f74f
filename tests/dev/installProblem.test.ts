import { installProblem } from '../../dev/servers/installProblem';

test('the message names the missing server, each system’s command, and the variable that replaces it', () => {
  expect(installProblem(['redis'])).toBe(
    [
      'This machine has no Redis or Valkey server. Install it (it need not be running):',
      '  Debian, Ubuntu  sudo apt-get install redis-server',
      '  Fedora          sudo dnf install valkey',
      '  Alpine          apk add redis',
      '  macOS           brew install redis',
      'or set REDIS_URL to a running one, and start again.',
    ].join('\n'),
  );
});

test('both missing: one command installs both', () => {
  expect(installProblem(['mysql', 'redis'])).toContain('sudo apt-get install mariadb-server redis-server');
  expect(installProblem(['mysql', 'redis'])).toContain('DATABASE_URL and REDIS_URL');
});
