import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fontCharacters, type CodePointRange } from './fontCharacters';

/** One file of a family: the characters that it draws, and where its weights lie. */
export interface FontSlice {
  family: string;
  /** What the slice is for and its file draws. */
  ranges: readonly CodePointRange[];
  /** Paths of the WOFF2 files; a family of one weight has the same for both. */
  files: { regular: string; bold: string };
}

/** A typeface, cut by its package into slices that are read only once a text needs them. */
export interface FontFamily {
  name: string;
  slices: readonly LazySlice[];
}

interface LazySlice {
  /** What the package says that the slice is for; its file has a few letters more. */
  declared: readonly CodePointRange[];
  read(): FontSlice;
}

/** Latin, Greek, Cyrillic, Vietnamese, Devanagari, and every figure of the page. */
export const baseFamily = family('Noto Sans', require.resolve('@fontsource/noto-sans/unicode.json'));

/** One family each for a script, in the order in which they are asked for a character. */
export const scriptFamilies: readonly FontFamily[] = [
  family('Noto Sans Thai', require.resolve('@fontsource/noto-sans-thai/unicode.json')),
  family('Noto Sans Hebrew', require.resolve('@fontsource/noto-sans-hebrew/unicode.json')),
  family('Noto Sans Armenian', require.resolve('@fontsource/noto-sans-armenian/unicode.json')),
  family('Noto Sans Georgian', require.resolve('@fontsource/noto-sans-georgian/unicode.json')),
  family('Noto Sans Ethiopic', require.resolve('@fontsource/noto-sans-ethiopic/unicode.json')),
  family('Noto Sans Bengali', require.resolve('@fontsource/noto-sans-bengali/unicode.json')),
  family('Noto Sans Gujarati', require.resolve('@fontsource/noto-sans-gujarati/unicode.json')),
  family('Noto Sans Gurmukhi', require.resolve('@fontsource/noto-sans-gurmukhi/unicode.json')),
  family('Noto Sans Kannada', require.resolve('@fontsource/noto-sans-kannada/unicode.json')),
  family('Noto Sans Malayalam', require.resolve('@fontsource/noto-sans-malayalam/unicode.json')),
  family('Noto Sans Sinhala', require.resolve('@fontsource/noto-sans-sinhala/unicode.json')),
  family('Noto Sans Tamil', require.resolve('@fontsource/noto-sans-tamil/unicode.json')),
  family('Noto Sans Telugu', require.resolve('@fontsource/noto-sans-telugu/unicode.json')),
  family('Noto Sans Khmer', require.resolve('@fontsource/noto-sans-khmer/unicode.json')),
  family('Noto Sans Lao', require.resolve('@fontsource/noto-sans-lao/unicode.json')),
  family('Noto Sans Myanmar', require.resolve('@fontsource/noto-sans-myanmar/unicode.json')),
];

/**
 * The families of Arabic letters, asked after Hebrew, which the first has too. It has the letters of Arabic alone, the second
 * those of Persian and Urdu; both draw each letter whole, so that viewers find it again, and the third draws dots apart.
 */
export const arabicFamilies: readonly FontFamily[] = [
  family('Rubik', require.resolve('@fontsource/rubik/unicode.json')),
  family('Vazirmatn', require.resolve('@fontsource/vazirmatn/unicode.json')),
  family('Noto Sans Arabic', require.resolve('@fontsource/noto-sans-arabic/unicode.json')),
];

/** The families of Chinese characters, simplified first. */
export const chineseFamilies: readonly FontFamily[] = [
  family('Noto Sans SC', require.resolve('@fontsource/noto-sans-sc/unicode.json')),
  family('Chocolate Classical Sans', require.resolve('@fontsource/chocolate-classical-sans/unicode.json'), {
    bold: 400,
  }),
];

/** Kana, and Chinese characters as Japanese writes them. */
export const japaneseFamily = family('BIZ UDPGothic', require.resolve('@fontsource/biz-udpgothic/unicode.json'));

/** Hangul; asked after the Chinese characters, whose punctuation it has too. */
export const koreanFamily = family('Nanum Gothic', require.resolve('@fontsource/nanum-gothic/unicode.json'));

/** Signs and emoji (in one colour), asked last. */
export const symbolFamilies: readonly FontFamily[] = [
  family('Noto Sans Math', require.resolve('@fontsource/noto-sans-math/unicode.json'), { bold: 400 }),
  family('Noto Sans Symbols', require.resolve('@fontsource/noto-sans-symbols/unicode.json')),
  family('Noto Sans Symbols 2', require.resolve('@fontsource/noto-sans-symbols-2/unicode.json'), { bold: 400 }),
  family('Noto Emoji', require.resolve('@fontsource/noto-emoji/unicode.json')),
];

const catalog = [
  baseFamily,
  ...scriptFamilies,
  ...arabicFamilies,
  ...chineseFamilies,
  japaneseFamily,
  koreanFamily,
  ...symbolFamilies,
];

/** The slices of all families that may draw a character, by character: a text can have thousands of different ones. */
let index: Map<number, { candidates: LazySlice[]; drawnBy?: readonly FontSlice[] }> | undefined;

/** The slices whose file draws a character, at most one of a family; none where there is no font for it. */
export function slicesFor(codePoint: number): readonly FontSlice[] {
  const entry = (index ??= indexCatalog()).get(codePoint);
  if (entry === undefined) return [];
  return (entry.drawnBy ??= oneOfEachFamily(
    entry.candidates.map((slice) => slice.read()).filter(({ ranges }) => includes(ranges, codePoint)),
  ));
}

/** Reads every font, a slice at a time, so that no text has to wait for many of them. Takes about half a second. */
export async function readFonts(): Promise<void> {
  index ??= indexCatalog();
  for (const slice of catalog.flatMap(({ slices }) => slices)) {
    await setImmediate();
    slice.read();
  }
}

function indexCatalog(): NonNullable<typeof index> {
  const entries: NonNullable<typeof index> = new Map();
  for (const slice of catalog.flatMap(({ slices }) => slices)) {
    for (const [first, last] of slice.declared) {
      for (let codePoint = first; codePoint <= last; codePoint++) {
        const entry = entries.get(codePoint);
        if (entry === undefined) entries.set(codePoint, { candidates: [slice] });
        else entry.candidates.push(slice);
      }
    }
  }
  return entries;
}

function oneOfEachFamily(slices: readonly FontSlice[]): readonly FontSlice[] {
  return slices.filter(({ family }, at) => slices.findIndex((other) => other.family === family) === at);
}

/** A family from the `unicode.json` of its package, which names the slices and what they may draw. */
function family(name: string, unicodeJson: string, weights: { bold: number } = { bold: 700 }): FontFamily {
  const folder = dirname(unicodeJson);
  const declared = JSON.parse(readFileSync(unicodeJson, 'utf8')) as Record<string, string>;
  const slices = Object.entries(declared).map(([subset, unicodeRange]): LazySlice => {
    const file = (weight: number) =>
      join(folder, 'files', `${basename(folder)}-${subset.replace(/[[\]]/g, '')}-${weight}-normal.woff2`);
    const ranges = parseUnicodeRange(unicodeRange);
    let slice: FontSlice | undefined;
    const read = (): FontSlice => ({
      family: name,
      ranges: common(ranges, fontCharacters(file(400))),
      files: { regular: file(400), bold: file(weights.bold) },
    });
    return { declared: ranges, read: () => (slice ??= read()) };
  });
  return { name, slices };
}

/** `U+0-FF,U+131` as ranges. */
function parseUnicodeRange(text: string): CodePointRange[] {
  return text.split(',').map((part) => {
    const [first = '', last = first] = part.trim().slice(2).split('-');
    return [parseInt(first, 16), parseInt(last, 16)];
  });
}

function common(some: readonly CodePointRange[], others: readonly CodePointRange[]): CodePointRange[] {
  return some.flatMap(([first, last]) =>
    others
      .map(([from, to]): CodePointRange => [Math.max(first, from), Math.min(last, to)])
      .filter(([from, to]) => from <= to),
  );
}

function includes(ranges: readonly CodePointRange[], codePoint: number): boolean {
  return ranges.some(([first, last]) => first <= codePoint && codePoint <= last);
}
