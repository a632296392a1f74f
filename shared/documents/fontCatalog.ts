import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fontCharacters } from './fontCharacters';

/** Both ends belong to it. */
type CodePointRange = readonly [first: number, last: number];

/** One file of a family: the characters that it draws, and where its weights lie. */
export interface FontSlice {
  family: string;
  /** The characters that the slice is for and its file draws. */
  ranges: readonly CodePointRange[];
  /** Paths of the WOFF2 files; a family of one weight has the same for both. */
  files: { regular: string; bold: string };
}

/** A typeface, cut by its package into slices. */
export interface FontFamily {
  name: string;
  boldWeight: number;
  slices(): Iterable<Omit<FontSlice, 'family'>>;
}

/** Latin, Greek, Cyrillic, Vietnamese, Devanagari, and every figure of the page. */
export const baseFamily = family('Noto Sans', require.resolve('@fontsource/noto-sans/unicode.json'));

/** One family for each script, in the order in which they are searched for a character. */
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
  family('Noto Sans Oriya', require.resolve('@fontsource/noto-sans-oriya/unicode.json')),
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

/** Chinese characters as the mainland writes them. `@fontsource/noto-sans-sc` has the same in 1,900 files of 76 MiB. */
export const simplifiedFamily: FontFamily = {
  name: 'Noto Sans SC',
  boldWeight: 700,
  slices: () => numberedSlices(dirname(require.resolve('noto-sans-sc/package.json'))),
};

/** Chinese characters in their classical forms, as Taiwan, Hong Kong and Korea know them. */
export const traditionalFamily = family(
  'Chocolate Classical Sans',
  require.resolve('@fontsource/chocolate-classical-sans/unicode.json'),
  { bold: 400 },
);

/** Kana, and Chinese characters as Japanese writes them. */
export const japaneseFamily = family('BIZ UDPGothic', require.resolve('@fontsource/biz-udpgothic/unicode.json'));

/** Hangul and its punctuation, which the families of Chinese characters have too; it has none of those characters. */
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
  simplifiedFamily,
  traditionalFamily,
  japaneseFamily,
  koreanFamily,
  ...symbolFamilies,
];

/** Of each character the slices that draw it, at most one of a family. */
type FontIndex = ReadonlyMap<number, readonly FontSlice[]>;

let index: FontIndex | undefined;

/**
 * Returns the slices whose file draws a character, at most one of a family; none where there is no font for it. The first call reads
 * which font draws which character: some 0.2 s.
 */
export function slicesFor(codePoint: number): readonly FontSlice[] {
  return (index ??= readFonts()).get(codePoint) ?? [];
}

function readFonts(): FontIndex {
  const slices = new Map<number, FontSlice[]>();
  for (const family of catalog) {
    const { name } = family;
    for (const { ranges, files } of family.slices()) {
      const slice: FontSlice = { family: name, ranges, files };
      for (const codePoint of ranges.flatMap(([first, last]) => codePointsFrom(first, last))) {
        const known = slices.get(codePoint);
        if (known === undefined) slices.set(codePoint, [slice]);
        else if (!known.some(({ family }) => family === name)) known.push(slice);
      }
    }
  }
  return slices;
}

/** A family of Fontsource: `unicodeJson` is the file of its package that names the slices and what they may draw. */
function family(name: string, unicodeJson: string, { bold }: { bold: number } = { bold: 700 }): FontFamily {
  return { name, boldWeight: bold, slices: () => declaredSlices(unicodeJson, bold) };
}

function* declaredSlices(unicodeJson: string, boldWeight: number): Iterable<Omit<FontSlice, 'family'>> {
  const declared = JSON.parse(readFileSync(unicodeJson, 'utf8')) as Record<string, string>;
  const folder = dirname(unicodeJson);
  for (const [subset, unicodeRange] of Object.entries(declared)) {
    const stem = join(folder, 'files', `${basename(folder)}-${subset.replace(/[[\]]/g, '')}`);
    const drawn = fontCharacters(`${stem}-400-normal.woff`);
    const characters = codePointsOf(unicodeRange).filter((codePoint) => drawn.has(codePoint));
    const files = { regular: `${stem}-400-normal.woff2`, bold: `${stem}-${boldWeight}-normal.woff2` };
    yield { ranges: toRanges(characters), files };
  }
}

/** The slices of Chinese characters are numbered, in each weight alike; those of letters are not, and have other families. */
function* numberedSlices(folder: string): Iterable<Omit<FontSlice, 'family'>> {
  const [regular, bold] = ['noto_sans_sc_regular', 'noto_sans_sc_bold'].map((weight) => {
    const files = readdirSync(join(folder, weight)).map((name) => [/\.(\d+)\.woff2$/.exec(name)?.[1], name] as const);
    return new Map(files.map(([number, name]) => [Number(number), join(folder, weight, name)]));
  }) as [Map<number, string>, Map<number, string>];
  for (const [number, file] of [...regular].sort(([one], [other]) => one - other)) {
    const boldFile = bold.get(number);
    if (Number.isNaN(number) || boldFile === undefined) continue;
    yield { ranges: toRanges([...fontCharacters(file)]), files: { regular: file, bold: boldFile } };
  }
}

/** `U+0-FF,U+131` as numbers. */
function codePointsOf(unicodeRange: string): number[] {
  return unicodeRange.split(',').flatMap((part) => {
    const [first = '', last = first] = part.trim().slice(2).split('-');
    const start = parseInt(first, 16);
    return codePointsFrom(start, parseInt(last, 16));
  });
}

function codePointsFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function toRanges(codePoints: readonly number[]): CodePointRange[] {
  const ranges: [number, number][] = [];
  for (const codePoint of [...codePoints].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && codePoint <= last[1] + 1) last[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  return ranges;
}
