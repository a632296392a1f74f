import { arabic } from './arabic';
import { chineseSimplified } from './chineseSimplified';
import { chineseTraditional } from './chineseTraditional';
import { dutch } from './dutch';
import { english } from './english';
import { french } from './french';
import { german } from './german';
import { indonesian } from './indonesian';
import { italian } from './italian';
import { japanese } from './japanese';
import { korean } from './korean';
import type { LanguageTexts } from './LanguageTexts';
import { portuguese } from './portuguese';
import { spanish } from './spanish';

/** Languages in which an invoice can be written, as BCP 47 tags. */
export type Language =
  'ar' | 'de' | 'en' | 'es' | 'fr' | 'id' | 'it' | 'ja' | 'ko' | 'nl' | 'pt' | 'zh-Hans' | 'zh-Hant';

/** The texts of each language. */
export const languages: Readonly<Record<Language, LanguageTexts>> = {
  ar: arabic,
  de: german,
  en: english,
  es: spanish,
  fr: french,
  id: indonesian,
  it: italian,
  ja: japanese,
  ko: korean,
  nl: dutch,
  pt: portuguese,
  'zh-Hans': chineseSimplified,
  'zh-Hant': chineseTraditional,
};

/** Returns the language of the labels for a locale: its own, Chinese in the script of its region, and English for any other. */
export function languageOf(locale: Intl.Locale): Language {
  const { language, script } = locale.maximize();
  return [language, `${language}-${script}`].find(isLanguage) ?? 'en';
}

function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}
