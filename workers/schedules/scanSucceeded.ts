import type { Clock } from '../../shared/engine/clock';
import { metrics } from '../../shared/engine/metrics';

/** What runs by the clock, as the metrics name it. */
export type ScanName = 'outbox' | 'events' | 'payment-links' | 'clean-up' | 'calendar' | 'webhook-endpoints';

/** Reports that a scan has run to its end just now. */
export function scanSucceeded({ clock }: { clock: Clock }, scan: ScanName): void {
  metrics.scanLastSuccess.set(clock.now().getTime() / 1000, scan);
}
