import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config/env';
import { projectRoot } from '../../config/paths';
import { variablesIn } from '../../config/variable';
import { sections, variables } from '../../config/variables';

const names = variablesIn(variables).map(({ name }) => name);

test('every variable has one name and stands in one section of the documentation', () => {
  const documented = Object.values(sections)
    .flatMap(variablesIn)
    .map(({ name }) => name);
  expect(documented.toSorted()).toEqual([...new Set(names)].toSorted());
});

/** What MySQL and Redis of the compose file read. */
const ofServers = /^(?:MYSQL_.+|REDISCLI_AUTH)$/;

test.each([
  ['docker-compose.yml', /^ +([A-Z][A-Z0-9_]+):/gm],
  ['Dockerfile', /(?<=^ENV .*)\b([A-Z][A-Z0-9_]+)=/gm],
])('%s › sets no variable that the service does not read', (file, pattern) => {
  const set = [...readFileSync(join(projectRoot, file), 'utf8').matchAll(pattern)].map(([, name = '']) => name);
  expect(set).toContain('NODE_ENV');
  expect(set.filter((name) => !names.includes(name) && !ofServers.test(name))).toEqual([]);
});

test.each([
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '80.5'],
  ['PORT', ' '],
  ['MAX_UPLOADS_MB', '31'],
  ['TRUST_PROXY', 'yes'],
  ['NODE_ENV', 'staging'],
  ['PUBLIC_URL', 'billing.example.com'],
])('%s=%j › is refused', (name, text) => {
  expect(() => loadConfig({ [name]: text })).toThrow(new RegExp(`${name}=${text} is not .*; expected `));
});

test('values › are read in the unit of their use', () => {
  const config = loadConfig({
    MAX_RATE_MB: '2',
    RECEIPTS_QUOTA_MB: '0',
    CORS_ORIGINS: 'https://a.example, https://b.example',
    PUBLIC_URL: 'https://billing.example.com/',
    TRUST_PROXY: 'true',
  });
  expect(config.limits.bytesPerSecond).toBe(2 * 1024 * 1024);
  expect(config.receiptsQuotaBytes).toBe(Infinity);
  expect(config.corsOrigins).toEqual(['https://a.example', 'https://b.example']);
  expect(config.publicUrl).toBe('https://billing.example.com');
  expect(config.trustProxy).toBe(true);
});
