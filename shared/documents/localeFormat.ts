import { LRUCache } from 'lru-cache';
import { currencyDecimals } from './currencyDecimals';
import { languageOf, type Language } from './languages';

/** How one locale writes dates and figures. Exact at any size: figures are decimal strings throughout. */
export interface LocaleFormat {
  /** Of the words around the figures. */
  language: Language;
  /** `YYYY-MM-DD` to a long date; the calendar day is never shifted by a time zone. */
  date(day: string): string;
  /** Two days as one text, in which what they share may stand once. */
  period(from: string, to: string): string;
  /** A quantity, without useless zeros. */
  number(decimal: string): string;
  /** A rate in per cent: `8.25` is `8.25%`, and `8,25 %` in German. */
  percentage(decimal: string): string;
  /**
   * Money in a currency, by its ISO 4217 code.
   * @throws {RangeError} when the code is malformed.
   */
  money(currency: string): MoneyFormat;
}

/**
 * How amounts of one currency are written: with its own decimals (JPY none, BHD three). An amount with a fraction beyond those
 * has at least two: `¥1,234.50`.
 */
export interface MoneyFormat {
  /** With the currency's symbol, or its code where the locale has no symbol. */
  amount(decimal: string): string;
  /** Without the currency, which stands at the head of the column. */
  figure(decimal: string): string;
}

/** Of any figure; ECMA-402 allows at least this many in every version. */
const mostDecimals = 20;
/** The writing systems of which the catalogue has a font; a date in any other would be a row of signs for unknown characters. */
const drawnScripts: ReadonlySet<string | undefined> = new Set([
  ...['Latn', 'Grek', 'Cyrl', 'Armn', 'Geor', 'Hebr', 'Arab', 'Ethi', 'Hans', 'Hant', 'Jpan', 'Kore'],
  ...['Deva', 'Beng', 'Gujr', 'Guru', 'Knda', 'Mlym', 'Orya', 'Sinh', 'Taml', 'Telu', 'Thai', 'Laoo', 'Khmr', 'Mymr'],
]);
/**
 * Keys are the locales that `Intl` has, to which it resolves tags without number: `de-AQ` and `de-x-1` are `de`.
 */
const formats = new LRUCache<string, Omit<LocaleFormat, 'language'>>({ max: 40 });
/** By locale and currency. */
const moneyFormats = new LRUCache<string, MoneyFormat>({ max: 200 });

/**
 * The format for a BCP 47 locale. Dates and figures are those of the locale wherever `Intl` knows it; the words are English
 * where there are none in its language. A tag that is malformed, unknown or of a script without a font counts as `en`.
 */
export function localeFormat(tag: string): LocaleFormat {
  const requested = requestedLocale(tag);
  const resolved = requested === null ? null : knownLocale(requested);
  const locale = resolved ?? new Intl.Locale('en');
  const format = formats.get(locale.toString()) ?? makeFormat(locale);
  formats.set(locale.toString(), format);
  return { language: resolved === null || requested === null ? 'en' : languageOf(requested), ...format };
}

function makeFormat(locale: Intl.Locale): Omit<LocaleFormat, 'language'> {
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: mostDecimals });
  const percentages = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'percent',
    maximumFractionDigits: mostDecimals,
  });
  return {
    date: (day) => plainSpaces(dates.format(midnight(day))),
    period: (from, to) => plainSpaces(dates.formatRange(midnight(from), midnight(to))),
    number: (decimal) => written(numbers, decimal),
    percentage: (decimal) => written(percentages, decimal),
    money: (currency) => {
      const key = `${locale.toString()} ${currency}`;
      const format = moneyFormats.get(key) ?? moneyFormat(locale, currency);
      moneyFormats.set(key, format);
      return format;
    },
  };
}

const midnight = (day: string): Date => new Date(`${day}T00:00:00Z`);

function moneyFormat(locale: Intl.Locale, currency: string): MoneyFormat {
  const own = currencyDecimals(currency);
  const writer = (options: Intl.NumberFormatOptions) => {
    const usual = new Intl.NumberFormat(locale, { ...options, minimumFractionDigits: own, maximumFractionDigits: own });
    const finer = new Intl.NumberFormat(locale, {
      ...options,
      minimumFractionDigits: Math.max(own, 2),
      maximumFractionDigits: mostDecimals,
    });
    return (decimal: string) => written(decimalsOf(decimal) > own ? finer : usual, decimal);
  };
  return { amount: writer({ style: 'currency', currency }), figure: writer({}) };
}

/** Without zeros at the end. */
function decimalsOf(decimal: string): number {
  const decimals = Array.from(decimal.split('.')[1] ?? '');
  return decimals.findLastIndex((digit) => digit !== '0') + 1;
}

/**
 * Language, script and region of a tag. Its extensions are ignored: they would change the digits (`-u-nu-arab`) or the
 * calendar (`-u-ca-buddhist`) to what other readers of the locale do not expect. Returns null for a tag that is malformed.
 */
function requestedLocale(tag: string): Intl.Locale | null {
  const locale = parseLocale(tag);
  if (locale === null) return null;
  const { language, script, region } = locale;
  return new Intl.Locale(language, { script, region });
}

/**
 * Returns the locale of `Intl` for a requested one, which may be of another script: `sat-Deva` is written in Ol Chiki. Returns
 * null where there is none, or no font for it.
 *
 * Arabic is written with Latin digits and the Gregorian calendar in every country, although `Intl` has Arabic-Indic digits for
 * some and the Hijri calendar for one: invoice numbers, tax numbers, IBANs and phone numbers on the same page have Latin
 * digits, accounting software from Morocco to the Gulf prints them throughout, and Saudi Arabia counts official terms by the
 * Gregorian calendar. Other locales keep their own, as their readers do: Persian `۱۲ بهمن ۱۴۰۳`, Thai `31 มกราคม 2568`.
 */
function knownLocale(requested: Intl.Locale): Intl.Locale | null {
  if (Intl.NumberFormat.supportedLocalesOf(requested).length === 0) return null;
  const resolved = new Intl.Locale(new Intl.NumberFormat(requested).resolvedOptions().locale);
  if (!drawnScripts.has(resolved.maximize().script)) return null;
  return resolved.language === 'ar'
    ? new Intl.Locale(resolved, { numberingSystem: 'latn', calendar: 'gregory' })
    : resolved;
}

/** Returns null for a tag that is malformed. */
export function parseLocale(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Intl formats decimal strings digit by digit, without a detour over binary floats. The hyphen that it writes for a minus in
 * most locales becomes U+2212, which is as wide as a plus and never breaks a line. Right-to-left text that ends with `US$` gets
 * a left-to-right mark, without which the sign would stand before the letters.
 */
function written(format: Intl.NumberFormat, decimal: string): string {
  const text = plainSpaces(format.format(decimal as Intl.StringNumericLiteral)).replace('-', '\u2212');
  return text.startsWith('\u200f') && /[A-Z][$¥]$/.test(text) ? `${text}\u200e` : text;
}

/** Non-breaking and thin spaces become plain ones, so that amounts can be searched for and copied; templates forbid the break. */
function plainSpaces(text: string): string {
  return text.replace(/[\u00a0\u2009\u202f]/g, ' ');
}
