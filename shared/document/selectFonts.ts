import {
  baseFamily,
  hanFamilies,
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

const han = /\p{Script=Han}/u;
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Joiners, variation selectors and the like, and spaces: they have no glyph that has to be found. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}]/u;

/**
 * The fonts that draw every character of a text for which there is a font. Each character comes from the first family that
 * has it, so that what is drawn does not depend on what else a page has loaded.
 */
export function selectFonts(text: string): FontSelection {
  const characters = new Set(text);
  const order = [baseFamily, ...scriptFamilies, ...hanOrder(characters), koreanFamily, ...symbolFamilies];
  const slices = new Set<FontSlice>();
  for (const character of characters) {
    if (invisible.test(character)) continue;
    const slice = firstSlice(order, character);
    if (slice) slices.add(slice);
  }
  return { families: order.map((family) => family.name), slices };
}

/**
 * One family should draw all of a text's Chinese characters: the Japanese where there is kana, else the one that has the
 * most of them, simplified Chinese when equal.
 */
function hanOrder(characters: ReadonlySet<string>): FontFamily[] {
  const wanted = [...characters].filter((character) => han.test(character));
  if (wanted.length === 0) return [...hanFamilies];
  const japanese = [...characters].some((character) => kana.test(character));
  const score = new Map(
    hanFamilies.map((family) => {
      const drawn = wanted.filter((character) => firstSlice([family], character) !== null).length;
      return [family, japanese && family.name === japaneseFamily ? Infinity : drawn];
    }),
  );
  return [...hanFamilies].sort((a, b) => (score.get(b) ?? 0) - (score.get(a) ?? 0));
}

function firstSlice(families: readonly FontFamily[], character: string): FontSlice | null {
  const codePoint = character.codePointAt(0) ?? 0;
  for (const family of families) {
    const slice = family.sliceFor(codePoint);
    if (slice) return slice;
  }
  return null;
}
