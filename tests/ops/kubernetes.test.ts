import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse, parseAllDocuments } from 'yaml';
import { projectRoot } from '../../config/paths';
import { queueNames } from '../../config/queues';
import { variablesIn } from '../../config/variable';
import { variables } from '../../config/variables';
import schemas from '../schemas/kubernetes.json';

const folder = join(projectRoot, 'ops/kubernetes');

interface Found {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec: {
    template: {
      spec: {
        securityContext: object;
        containers: {
          args: string[];
          env?: { name: string; value: string }[];
          securityContext: object;
          resources: object;
          ports?: { name: string; containerPort: number }[];
        }[];
      };
    };
    triggers: { metadata: Record<string, string>; metricType: string }[];
    scaleTargetRef: { name: string };
    selector: { matchLabels: Record<string, string> };
  };
}

const objectsIn = (file: string): Found[] =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS() as Found);
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
const all = files.flatMap(objectsIn);
const ofKind = (kind: string): Found[] => all.filter((one) => one.kind === kind);
const pods = [...ofKind('Deployment'), ...ofKind('Job')];
const containerOf = (one: Found) => one.spec.template.spec.containers[0]!;

const known = new Set(variablesIn(variables).map(({ name }) => name));

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true }).addSchema(schemas, 'kubernetes');

/** What the schemas of Kubernetes and KEDA say about an object; they know no properties but those that are described. */
function problemsOf(object: Found): string | undefined {
  ajv.validate(`kubernetes#/$defs/${object.kind}`, object);
  return !ajv.errors ? undefined : `${object.kind} ${object.metadata.name}: ${ajv.errorsText()}`;
}

test.each(all.map((one) => [one.kind, one.metadata.name, one] as const))(
  'the %s %s › is valid by the schemas of Kubernetes and KEDA',
  (_kind, _name, one) => expect(problemsOf(one)).toBeUndefined(),
);

test('an object with a mistake › is refused, with its place', () => {
  const [deployment, scaled] = [ofKind('Deployment')[0]!, ofKind('ScaledObject')[0]!];
  const broken: [Found, RegExp][] = [
    [
      { ...deployment, spec: { ...deployment.spec, replica: 2 } as never },
      /^Deployment .*\/spec must NOT have additional/,
    ],
    [{ ...deployment, spec: { ...deployment.spec, selector: undefined } as never }, /must have .*'selector'/],
    [{ ...deployment, apiVersion: 'apps/v2' } as never, /\/apiVersion must be equal to constant/],
    [{ ...scaled, spec: { ...scaled.spec, maxReplicaCount: '5' } as never }, /\/maxReplicaCount must be integer/],
  ];
  for (const [object, problem] of broken) expect(problemsOf(object)).toMatch(problem);
});

test('the kustomization › has every file but the example of the secret', () => {
  const { resources } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
  expect([...resources, 'secret.example.yaml'].sort()).toEqual([...files].sort());
});

test('every queue › has a Deployment, a ScaledObject and a budget of its own', () => {
  for (const queue of queueNames) {
    const name = `worker-${queue}`;
    const deployment = ofKind('Deployment').find((one) => one.metadata.name === name);
    expect(deployment && containerOf(deployment).env).toContainEqual({ name: 'WORKER_QUEUES', value: queue });
    const scaled = ofKind('ScaledObject').find((one) => one.spec.scaleTargetRef.name === name);
    expect(scaled?.spec.triggers[0]).toMatchObject({
      metricType: 'Value',
      metadata: { valueLocation: `queues.#(name=="${queue}").oldest_seconds` },
    });
    expect(ofKind('PodDisruptionBudget').map((one) => one.metadata.name)).toContain(name);
  }
});

test('the workers › differ in their queue, resources, and what Chromium needs', () => {
  const same = ofKind('Deployment')
    .filter((one) => one.metadata.name.startsWith('worker-') && one.metadata.name !== 'worker-pdf')
    .map((one) => JSON.stringify(one.spec).replaceAll(one.metadata.name.slice('worker-'.length), 'QUEUE'));
  expect(new Set(same).size).toBe(1);
});

test.each(pods.map((one) => [one.metadata.name, one] as const))(
  'the pods of %s › run without rights and with bounds',
  (_name, one) => {
    expect(one.spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(containerOf(one).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(containerOf(one).resources).toMatchObject({
      requests: { cpu: expect.anything(), memory: expect.anything() },
      limits: { memory: expect.anything() },
    });
  },
);

test('settings and secrets › are variables of the service; the operator port is the one that is scraped', () => {
  const settings = all.flatMap(({ data = {}, stringData = {} }) => Object.keys({ ...data, ...stringData }));
  expect(settings.filter((name) => !known.has(name))).toEqual([]);
  const port = Number(ofKind('ConfigMap')[0]?.data?.['OPERATOR_PORT']);
  for (const { spec } of ofKind('ScaledObject')) expect(spec.triggers[0]?.metadata['url']).toContain(`:${port}/queues`);
  for (const one of ofKind('Deployment')) {
    expect(containerOf(one).ports).toContainEqual({ name: 'operator', containerPort: port });
  }
});
