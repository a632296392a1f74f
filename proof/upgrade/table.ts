import { cpus } from 'node:os';
import { aligned } from '../../dev/measuring/aligned';
import type { UpgradeResult } from './runUpgrade';

const head = ['row', 'accepted', 'expected', 'found', 'lost', 'doubled', 'uncertain', 'verdict', 'responses'];

/** Returns the results as a table. */
export function tableOf(results: readonly UpgradeResult[]): string {
  const earlier = results[0]?.earlier.slice(0, 7);
  return [
    `Earlier release: ${earlier || 'none'}; ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`,
    'A row passes: nothing lost, doubled or uncertain, and no request failed but with 503 or a refused connection (one reset for each API counts as refused).',
    '',
    ...aligned([head, ...results.map(cells)], 1),
    '',
    ...results.map(({ name, what }) => `${name}: ${what}`),
  ].join('\n');
}

function cells(result: UpgradeResult): string[] {
  const { name, accepted, expected, found, lost, doubled, uncertain, problems, skipped, responses } = result;
  const counts = [accepted, expected, found, lost, doubled, uncertain].map(String);
  const verdict = skipped !== null ? 'skipped' : problems.length === 0 ? 'passed' : 'FAILED';
  const seen = Object.entries(responses).map(([response, count]) => `${count} × ${response}`);
  return [name, ...counts, verdict, seen.join(', ')];
}
