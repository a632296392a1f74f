import type { Finding } from '../figures/Figure';
import type { RowResult } from '../measuring/measureInTurns';
import type { Row } from '../rows/Row';

/** The results of a run. */
export interface Report {
  machine: { cores: number; cpu: string; node: string; database: string };
  rounds: number;
  seconds: number;
  rows: { row: Row; result: RowResult }[];
  findings: Finding[];
}
