import {
  arabicFamilies,
  baseFamily,
  chineseFamilies,
  japaneseFamily,
  koreanFamily,
  scriptFamilies,
  slicesFor,
  symbolFamilies,
  type FontFamily,
  type FontSlice,
} from './fontCatalog';

/** The fonts of one text: the order of families for CSS, and the slices that have to be loaded. */
export interface FontSelection {
  families: readonly string[];
  slices: ReadonlySet<FontSlice>;
  /** Those whose bold weight is used too. */
  boldSlices: ReadonlySet<FontSlice>;
  /** The characters that no font draws. */
  undrawn: ReadonlySet<string>;
}

/** Drawn by one slice, which every page has: one of its letters stands for all. */
const ascii = 'A';
const beyondAscii = /[^\0-\x7f]/gu;
const han = /\p{Script=Han}/u;
const arabic = /\p{Script=Arabic}/u;
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Joiners, variation selectors and the like, and spaces: they have no glyph that has to be found. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}]/u;

/**
 * The fonts that draw every character of a text for which there is a font; `bold` is what of it is set in bold. Each character
 * comes from the first family that has it, so that what is drawn does not depend on what else a page has loaded.
 */
export function selectFonts(text: string, bold = ''): FontSelection {
  const characters = charactersOf(text + bold);
  const order = [
    baseFamily,
    ...scriptFamilies,
    ...mostDrawn(arabicFamilies, arabic, characters),
    ...hanOrder(characters),
    koreanFamily,
    ...symbolFamilies,
  ].map((family) => family.name);
  const rank = new Map(order.map((name, at) => [name, at]));
  const undrawn = new Set<string>();
  const slicesOf = (wanted: ReadonlySet<string>) => {
    const slices = new Set<FontSlice>();
    for (const character of wanted) {
      if (invisible.test(character)) continue;
      const slice = firstSlice(rank, character);
      if (slice) slices.add(slice);
      else undrawn.add(character);
    }
    return slices;
  };
  const slices = slicesOf(characters);
  const boldSlices = slicesOf(charactersOf(bold));
  return { families: order, slices, boldSlices, undrawn };
}

function charactersOf(text: string): ReadonlySet<string> {
  return new Set([...ascii, ...(text.match(beyondAscii) ?? [])]);
}

/** Japanese draws many Chinese characters in its own way. */
function hanOrder(characters: ReadonlySet<string>): readonly FontFamily[] {
  const japanese = [...characters].some((character) => kana.test(character));
  return mostDrawn(
    japanese ? [japaneseFamily, ...chineseFamilies] : [...chineseFamilies, japaneseFamily],
    han,
    characters,
  );
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

const codePointOf = (character: string): number => character.codePointAt(0) ?? 0;
