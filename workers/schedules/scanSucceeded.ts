import type { Clock } from '../../shared/engine/clock';
import { metrics } from '../../shared/engine/metrics';

/** The scheduled tasks, as the metrics name them. */
export type ScanName = 'outbox' | 'events' | 'payment-links' | 'clean-up' | 'calendar' | 'webhook-endpoints';

/** Reports that a scan has just succeeded. */
export function scanSucceeded({ clock }: { clock: Clock }, scan: ScanName): void {
  metrics.scanLastSuccess.set(clock.now().getTime() / 1000, scan);
}
