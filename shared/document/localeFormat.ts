import { labels, type Language } from './labels';

/** How one locale writes dates, figures and amounts. Exact at any size: figures are decimal strings throughout. */
export interface LocaleFormat {
  language: Language;
  /** `YYYY-MM-DD` to a long date; the calendar day is never shifted by a time zone. */
  date(day: string): string;
  /** A figure with two decimals and no currency. */
  figure(decimal: string): string;
  /** An amount with two decimals, whatever the currency, and the currency's symbol or code. */
  amount(decimal: string, currency: string): string;
  /** A quantity or rate without useless zeros. */
  number(decimal: string): string;
}

const cacheLimit = 500;
const formats = new Map<string, LocaleFormat>();

/** The format for a BCP 47 locale: its language where invoices speak it, else English; its region where there is one. */
export function localeFormat(locale: string): LocaleFormat {
  const known = formats.get(locale);
  if (known) return known;
  if (formats.size >= cacheLimit) formats.clear();
  const made = makeFormat(locale);
  formats.set(locale, made);
  return made;
}

function makeFormat(locale: string): LocaleFormat {
  const { language, tag } = resolve(locale);
  const dates = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' });
  const figures = new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 });
  const amounts = new Map<string, Intl.NumberFormat>();
  const amountsIn = (currency: string): Intl.NumberFormat => {
    let format = amounts.get(currency);
    if (!format) {
      format = new Intl.NumberFormat(tag, {
        style: 'currency',
        currency,
        minimumFractionDigits: 2,
        maximumFractionDigits: 2,
      });
      amounts.set(currency, format);
    }
    return format;
  };
  return {
    language,
    date: (day) => plainSpaces(dates.format(new Date(`${day}T00:00:00Z`))),
    figure: (decimal) => plainSpaces(figures.format(exact(decimal))),
    amount: (decimal, currency) => plainSpaces(amountsIn(currency).format(exact(decimal))),
    number: (decimal) => plainSpaces(numbers.format(exact(decimal))),
  };
}

/** Only language and region are taken over: extensions such as `-u-nu-arab` would change the digits. */
function resolve(locale: string): { language: Language; tag: string } {
  let parsed: Intl.Locale;
  try {
    parsed = new Intl.Locale(locale);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { language: 'en', tag: 'en' };
  }
  const language = parsed.language;
  if (!isLanguage(language)) return { language: 'en', tag: 'en' };
  return { language, tag: parsed.region ? `${language}-${parsed.region}` : language };
}

function isLanguage(language: string): language is Language {
  return Object.hasOwn(labels, language);
}

/** Intl formats decimal strings digit by digit, without a detour over binary floats. */
function exact(decimal: string): Intl.StringNumericLiteral {
  return decimal as Intl.StringNumericLiteral;
}

/** Non-breaking spaces become plain ones, so that amounts can be searched for and copied; templates forbid the break. */
function plainSpaces(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}
