// Prints what the schemas of Kubernetes and KEDA say about each object of the given files, as JSON. A process of its own: the
// packages are ES modules, which Jest does not load.
import { readFileSync } from 'node:fs';
import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Secret, Service } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

const models = {
  ConfigMap,
  Deployment,
  Job,
  PodDisruptionBudget,
  ScaledObject,
  Secret,
  Service,
  TriggerAuthentication,
};

const problems = [];
let valid = 0;
for (const file of process.argv.slice(2)) {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const object = document.toJS();
    try {
      new models[object.kind](object).validate();
      valid += 1;
    } catch (error) {
      problems.push(`${file}: ${object.kind} ${object.metadata?.name}: ${error.message}`);
    }
  }
}
console.log(JSON.stringify({ valid, problems }));
