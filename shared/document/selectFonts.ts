import {
  arabicFamilies,
  baseFamily,
  chineseFamilies,
  japaneseFamily,
  koreanFamily,
  scriptFamilies,
  symbolFamilies,
  type FontFamily,
  type FontSlice,
} from './fontCatalog';

/** The fonts of one text: the order of families for CSS, and the slices that have to be loaded. */
export interface FontSelection {
  families: readonly string[];
  slices: ReadonlySet<FontSlice>;
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
 * The fonts that draw every character of a text for which there is a font. Each character comes from the first family that
 * has it, so that what is drawn does not depend on what else a page has loaded.
 */
export function selectFonts(text: string): FontSelection {
  const characters = new Set([...ascii, ...(text.match(beyondAscii) ?? [])]);
  const order = [
    baseFamily,
    ...scriptFamilies,
    ...mostDrawn(arabicFamilies, arabic, characters),
    ...hanOrder(characters),
    koreanFamily,
    ...symbolFamilies,
  ];
  const slices = new Set<FontSlice>();
  for (const character of characters) {
    if (invisible.test(character)) continue;
    const slice = firstSlice(order, character);
    if (slice) slices.add(slice);
  }
  return { families: order.map((family) => family.name), slices };
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
  const letters = [...characters].filter((character) => script.test(character));
  if (letters.length === 0) return families;
  const drawn = new Map(
    families.map((family) => [family, letters.filter((letter) => firstSlice([family], letter) !== null).length]),
  );
  return [...families].sort((a, b) => (drawn.get(b) ?? 0) - (drawn.get(a) ?? 0));
}

function firstSlice(families: readonly FontFamily[], character: string): FontSlice | null {
  const codePoint = character.codePointAt(0) ?? 0;
  for (const family of families) {
    const slice = family.sliceFor(codePoint);
    if (slice) return slice;
  }
  return null;
}
