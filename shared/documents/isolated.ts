import type { LanguageTexts } from './languages/LanguageTexts';

/**
 * A name or number for the middle of a sentence. Right-to-left text would reorder the parts of `2025-001`: isolates keep them.
 * Source: Unicode Standard Annex #9, 2.4 "Explicit Directional Isolates".
 */
export function isolated(text: string, direction: LanguageTexts['direction']): string {
  return direction === 'rtl' ? `\u2068${text}\u2069` : text;
}
