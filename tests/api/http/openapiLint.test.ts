import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { openApiDocument } from '../../../api/http/openapi/document';
import { routes } from '../../../api/routes';

interface Problems {
  redocly: string[];
  spectral: string[];
}

/** Errors and warnings alike. */
function problemsOf(document: object): Promise<Problems> {
  const linter = spawn(process.execPath, ['tests/support/lintOpenApi.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] });
  linter.stdin.end(JSON.stringify(document));
  return json(linter.stdout) as Promise<Problems>;
}

const served = (): object => openApiDocument(routes, 'https://invoices.example.net');

describe('the OpenAPI document', () => {
  test('is what Redocly and Spectral recommend', async () => {
    expect(await problemsOf(served())).toEqual({ redocly: [], spectral: [] });
  });

  test('with a mistake › would be found by both', async () => {
    const { redocly, spectral } = await problemsOf({ ...served(), components: {} });
    expect(redocly.join('\n')).toMatch(/no-unresolved-refs/);
    expect(spectral.join('\n')).toMatch(/invalid-ref/);
  });
});
