/**
 * Lints the OpenAPI document on stdin by Redocly's recommended rules and by Spectral's `spectral:oas`, and prints the problems
 * as JSON. It is a process of its own because Redocly's package consists of ES modules, which Jest does not load.
 */
import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

const source = await text(process.stdin);

const config = await createConfig({ extends: ['recommended'] });
const redocly = await lintFromString({ source, absoluteRef: '/openapi.json', config });

const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [[spectralRulesets.oas, 'recommended']] });
const found = await spectral.run(source);

const problems = {
  redocly: redocly.map(({ ruleId, message, location: [place] }) => `${ruleId}: ${message} (${place?.pointer})`),
  spectral: found.map(({ code, message, path }) => `${code}: ${message} (${path.join('/')})`),
};
process.stdout.write(JSON.stringify(problems));
