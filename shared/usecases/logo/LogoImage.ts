import { ValidationFailed } from '../../errors';

/** A picture that is safe to print and to show: what it is was found in its bytes. */
export interface LogoImage {
  extension: 'png' | 'jpg' | 'svg';
  contentType: 'image/png' | 'image/jpeg' | 'image/svg+xml';
  bytes: Buffer;
}

/** 4096 × 4096 pixels take 64 MiB when decoded, which a print of a small logo must not cost more than. */
export const MAX_PIXELS_A_SIDE = 4096;

export function refusedLogo(message: string): ValidationFailed {
  return ValidationFailed.at('logo', message);
}
