import {
  arabicFamilies,
  baseFamily,
  japaneseFamily,
  koreanFamily,
  scriptFamilies,
  simplifiedFamily,
  slicesFor,
  symbolFamilies,
  traditionalFamily,
  type FontFamily,
  type FontSlice,
} from './fontCatalog';
import type { Language } from './languages';

/** The fonts of one text: the order of families for CSS, and the slices that have to be loaded. */
export interface FontSelection {
  families: readonly string[];
  slices: ReadonlySet<FontSlice>;
  /** Those whose bold weight is used too. */
  boldSlices: ReadonlySet<FontSlice>;
  /** The text has characters that no font draws ({@link withUnknownSigns}). The slices have {@link unknownSign} for them. */
  hasUndrawn: boolean;
}

/** Drawn by one slice, which every page has: one of its letters stands for all. */
const ascii = 'A';
/** Stands for a character that no font draws. */
const unknownSign = '\ufffd';
const UNKNOWN_UNIT = unknownSign.charCodeAt(0);
const han = /\p{Script=Han}/u;
const arabic = /\p{Script=Arabic}/u;
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/**
 * The families of the languages that draw Chinese characters, each in its own way; Korean in the classical way. Source: Unicode
 * Standard, 18.1 "Han Unification".
 */
const hanFamilies: Readonly<Partial<Record<Language, readonly FontFamily[]>>> = {
  'zh-Hans': [simplifiedFamily],
  'zh-Hant': [traditionalFamily],
  ja: [japaneseFamily],
  ko: [koreanFamily, traditionalFamily],
};
/** Joiners, variation selectors and the like, and spaces: they have no glyph that has to be found. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}]/u;

/**
 * Returns the fonts of a text. `bold` is its bold part, `language` that of the page. Each character comes from the first family that has
 * it, so that the result does not depend on other fonts that a page has loaded.
 */
export function selectFonts(text: string, bold = '', language: Language = 'en'): FontSelection {
  const { characters, hasUndrawn } = charactersOf(text + bold);
  const order = [
    baseFamily,
    ...scriptFamilies,
    ...mostDrawn(arabicFamilies, arabic, characters),
    ...hanOrder(language, characters),
    ...symbolFamilies,
  ].map((family) => family.name);
  const rank = new Map(order.map((name, at) => [name, at]));
  const slicesOf = (wanted: Characters) => {
    const drawing = [...wanted.characters, ...(wanted.hasUndrawn ? [unknownSign] : [])];
    return new Set(drawing.flatMap((character) => firstSlice(rank, character) ?? []));
  };
  const slices = slicesOf({ characters, hasUndrawn });
  const boldSlices = slicesOf(charactersOf(bold));
  return { families: order, slices, boldSlices, hasUndrawn };
}

/**
 * Replaces the characters that no font draws by the sign for unknown characters. Chromium would search the machine's fonts for each of them:
 * a page full of them would take minutes.
 */
export function withUnknownSigns(text: string): string {
  // Joining the parts would take three times as long, 0.2 s of a page full of them.
  const units = Buffer.allocUnsafe(2 * text.length);
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const codePoint = codePointOf(text, at);
    const isUndrawn = codePoint > 0x7f && kindOf(codePoint) === kind.undrawn;
    end = units.writeUInt16LE(isUndrawn ? UNKNOWN_UNIT : text.charCodeAt(at), end);
    if (codePoint <= 0xffff) continue;
    at++;
    if (!isUndrawn) end = units.writeUInt16LE(text.charCodeAt(at), end);
  }
  return units.toString('utf16le', 0, end);
}

/** The characters of a text that fonts draw, and whether it has others. */
interface Characters {
  characters: ReadonlySet<string>;
  hasUndrawn: boolean;
}

/** By their numbers: a string for each of 500,000 characters would take 0.1 s of the event loop. */
function charactersOf(text: string): Characters {
  const drawn = new Set<number>();
  let hasUndrawn = false;
  for (let at = 0; at < text.length; at++) {
    const codePoint = codePointOf(text, at);
    if (codePoint > 0xffff) at++;
    if (codePoint <= 0x7f) continue;
    const found = kindOf(codePoint);
    if (found === kind.drawn) drawn.add(codePoint);
    else if (found === kind.undrawn) hasUndrawn = true;
  }
  const characters = new Set([ascii, ...Array.from(drawn, (codePoint) => String.fromCodePoint(codePoint))]);
  return { characters, hasUndrawn };
}

/** Kinds of code points; 0: not examined yet. */
const kind = { drawn: 1, invisible: 2, undrawn: 3 } as const;

/** Of each code point. Each is examined once: a text may have 250,000 that no font draws, which would take 0.4 s of the event loop. */
const kinds = new Uint8Array(0x110000);

function kindOf(codePoint: number): number {
  const known = kinds[codePoint] ?? kind.undrawn;
  if (known !== 0) return known;
  const isInvisible = invisible.test(String.fromCodePoint(codePoint));
  const found = isInvisible ? kind.invisible : slicesFor(codePoint).length > 0 ? kind.drawn : kind.undrawn;
  kinds[codePoint] = found;
  return found;
}

/**
 * The page's own language first, if it has a way to draw Chinese characters. On any other page their writer's language is not
 * known: kana tell Japanese, else the family that has the most of them is taken. Korean, whose punctuation the others have
 * too, comes last.
 */
function hanOrder(language: Language, characters: ReadonlySet<string>): readonly FontFamily[] {
  const chinese = [simplifiedFamily, traditionalFamily];
  const japanese = [...characters].some((character) => kana.test(character));
  const guessed = mostDrawn(japanese ? [japaneseFamily, ...chinese] : [...chinese, japaneseFamily], han, characters);
  return [...new Set([...(hanFamilies[language] ?? []), ...guessed, koreanFamily])];
}

/** One family should draw all of a text's letters of a script: first the one that has the most, in the given order if equal. */
function mostDrawn(
  families: readonly FontFamily[],
  script: RegExp,
  characters: ReadonlySet<string>,
): readonly FontFamily[] {
  const drawn = new Map<string, number>();
  for (const character of characters) {
    if (!script.test(character)) continue;
    for (const { family } of slicesFor(codePointOf(character))) drawn.set(family, (drawn.get(family) ?? 0) + 1);
  }
  return [...families].sort((a, b) => (drawn.get(b.name) ?? 0) - (drawn.get(a.name) ?? 0));
}

function firstSlice(rank: ReadonlyMap<string, number>, character: string): FontSlice | null {
  const rankOf = ({ family }: FontSlice) => rank.get(family) ?? Infinity;
  return slicesFor(codePointOf(character)).reduce<FontSlice | null>(
    (first, slice) => (first === null || rankOf(slice) < rankOf(first) ? slice : first),
    null,
  );
}

const codePointOf = (text: string, at = 0): number => text.codePointAt(at) ?? 0;
