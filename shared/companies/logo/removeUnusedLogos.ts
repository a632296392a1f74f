import { removeStoredFiles } from '../../engine/files';
import type { Services } from '../../services';

/** Longer than any render or e-mail that began with the logo, and than a backup copies files after it has read the rows. */
const UNUSED_KEPT_MS = 24 * 3_600_000;

/**
 * Removes the logos that were replaced, or whose upload ended before they were set, over a day ago. Never the current one, and none
 * that a sent invoice shows. Returns how many.
 * @throws as {@link removeStoredFiles} does.
 */
export function removeUnusedLogos(services: Services, deadline: number): Promise<number> {
  const where = `f.isKept = 0 AND f.kind = 'logo'
    AND NOT EXISTS (SELECT 1 FROM companies o WHERE o.id = f.companyId AND o.logoKey = f.fileKey)`;
  const before = new Date(services.clock.now().getTime() - UNUSED_KEPT_MS);
  return removeStoredFiles(services, { since: 'unusedSince', where, before }, deadline);
}
