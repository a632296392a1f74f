import { ValidationFailed } from '../../engine/errors';
import { drawLogo } from './drawLogo';
import type { Services } from '../../services';
import { DRAWN } from './setLogo';

/**
 * Returns a stored logo as the PNG that is printed and shown, or null where there is none. Earlier versions stored logos as
 * they were uploaded: those are drawn at their first use, and the result is stored beside them; an empty file says that the
 * logo cannot be drawn.
 * @throws {Overloaded} {@link ServiceUnavailable} when it has to be drawn and cannot be at the moment.
 */
export async function printableLogo(services: Services, companyId: number, logoKey: string): Promise<Buffer | null> {
  const isDrawn = logoKey.endsWith(DRAWN);
  const key = isDrawn ? logoKey : `${logoKey}${DRAWN}`;
  const stored = await services.files.get(key);
  if (isDrawn) return stored;
  const png = stored ?? (await services.drawing.run(companyId, () => drawStored(services, logoKey, key)));
  return png?.length === 0 ? null : png;
}

async function drawStored({ files, log }: Services, logoKey: string, drawnKey: string): Promise<Buffer | null> {
  // An earlier request for the same logo may have drawn it during the wait.
  const drawn = await files.get(drawnKey);
  if (drawn !== null) return drawn;
  const image = await files.get(logoKey);
  if (image === null) return null;
  const png = await drawLogo(image).catch((error: unknown) => {
    if (!(error instanceof ValidationFailed)) throw error;
    log.warn({ err: error, logoKey }, "a stored logo cannot be drawn; invoices show the company's name in its place");
    return Buffer.alloc(0);
  });
  await files.put(drawnKey, png);
  return png;
}
