import { LRUCache } from 'lru-cache';
import type { Services } from '../../shared/services';

/** What a company may add to its PDFs before those are looked at: a part of `PDF_CACHE_MB`. */
const UNCHECKED_PART = 1 / 4;
const DAY_MS = 86_400_000;

/**
 * Returns a function that counts the bytes of PDFs that this process has stored for each company. After a part of what a company may have, those beyond are
 * removed, so one that prints without end takes little more than that between two clean-ups.
 */
export function countStoredPdfs({
  files,
  config,
  clock,
  log,
}: Pick<Services, 'files' | 'config' | 'clock' | 'log'>): (companyId: number, bytes: number) => void {
  const { pdfBytes } = config.stored;
  const unchecked = new LRUCache<number, number>({ max: 10_000 });
  const removing = new Set<number>();
  return (companyId, bytes) => {
    const sum = (unchecked.get(companyId) ?? 0) + bytes;
    unchecked.set(companyId, sum);
    if (sum < pdfBytes * UNCHECKED_PART || removing.has(companyId)) return;
    unchecked.delete(companyId);
    removing.add(companyId);
    const before = new Date(clock.now().getTime() - config.pdfRetentionDays * DAY_MS);
    files
      .removeUnused(`pdf/${companyId}`, before, pdfBytes)
      .catch((error: unknown) => log.warn({ err: error, companyId }, 'PDFs that are not used were not removed'))
      .finally(() => removing.delete(companyId));
  };
}
