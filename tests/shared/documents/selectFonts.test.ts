import { selectFonts, withUnknownSigns } from '../../../shared/documents/selectFonts';

const familiesOf = (text: string) => [...new Set([...selectFonts(text).slices].map((slice) => slice.family))].sort();

describe('selectFonts', () => {
  it('of plain English › is one slice of one family', () => {
    expect([...selectFonts('Invoice 42, due').slices]).toHaveLength(1);
  });

  it.each([
    ['Größe łódź Nguyễn Счёт Τιμή हिन्दी ₹ ₫', ['Noto Sans']],
    ['فاتورة رقم', ['Noto Sans', 'Rubik']],
    ['گزارش ٹیکس', ['Noto Sans', 'Vazirmatn']],
    ['ใบแจ้งหนี้', ['Noto Sans', 'Noto Sans Thai']],
    ['חשבונית', ['Noto Sans', 'Noto Sans Hebrew']],
    ['发票和付款条件', ['Noto Sans', 'Noto Sans SC']],
    ['發票與付款條件汍沍稈', ['Chocolate Classical Sans', 'Noto Sans']],
    ['請求書をお送りします', ['BIZ UDPGothic', 'Noto Sans']],
    ['세금 계산서', ['Nanum Gothic', 'Noto Sans']],
    ['😀', ['Noto Emoji', 'Noto Sans']],
  ])('of "%s" › is %j', (text, families) => {
    expect(familiesOf(text)).toEqual(families);
  });

  it.each([
    ['ja', ['BIZ UDPGothic', 'Noto Sans']],
    ['ko', ['Chocolate Classical Sans', 'Noto Sans']],
    ['zh-Hans', ['Noto Sans', 'Noto Sans SC']],
    ['zh-Hant', ['Chocolate Classical Sans', 'Noto Sans']],
    ['en', ['Noto Sans', 'Noto Sans SC']],
  ] as const)('of Chinese characters on a page in %s › is %j', (language, families) => {
    const { slices } = selectFonts('直骨角', '', language);
    expect([...new Set([...slices].map((slice) => slice.family))].sort()).toEqual(families);
  });

  it('of Korean punctuation on a Korean page › is Korean', () => {
    expect([...selectFonts('「한국」', '', 'ko').slices].map((slice) => slice.family)).not.toContain('Noto Sans SC');
  });

  it('draws a minus sign with the slice that every page has', () => {
    expect(selectFonts('−').slices).toEqual(selectFonts('').slices);
  });

  it('of a text with a few Chinese characters › is a few slices of a hundred', () => {
    expect(selectFonts('发票').slices.size).toBeLessThanOrEqual(3);
  });

  it('of joiners and spaces › is no more than the base', () => {
    expect(selectFonts('a\u200d\u00a0\ufe0f').slices.size).toBe(1);
  });

  it('of characters that no font has › is what draws the sign for unknown characters', () => {
    expect(selectFonts('a\u{10ffff}').slices).toEqual(selectFonts('a\ufffd').slices);
    expect(selectFonts('', 'a\u{10ffff}').boldSlices).toEqual(selectFonts('', 'a\ufffd').boldSlices);
  });

  it('replaces the characters that no font draws', () => {
    const text = 'a发\u{13000}\u200d\u{13001}é';
    expect(selectFonts(text).hasUndrawn).toBe(true);
    expect(withUnknownSigns(text)).toBe('a发\ufffd\u200d\ufffdé');
    expect(selectFonts('a发\u200dé').hasUndrawn).toBe(false);
    expect(withUnknownSigns('a发\u200dé')).toBe('a发\u200dé');
  });

  it('examines each character once, however many different ones a text has', () => {
    const codePoints = Array.from({ length: 250_000 }, (_, index) => 0x30000 + index);
    const text = codePoints.map((codePoint) => String.fromCodePoint(codePoint)).join('');
    selectFonts(text);
    const before = process.cpuUsage();
    expect(selectFonts(text).hasUndrawn).toBe(true);
    withUnknownSigns(text);
    // Took 330 ms when each was examined by each script's families.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(150);
  });

  it('of a text of which little is bold › has little in bold', () => {
    const { slices, boldSlices } = selectFonts('发票', 'Total');
    expect(slices.size).toBeGreaterThan(1);
    expect(boldSlices.size).toBe(1);
  });

  it('believes the fonts rather than what their packages declare', () => {
    const slices = [...selectFonts('😀').slices];
    const drawn = slices.filter(({ ranges }) => ranges.some(([first, last]) => first <= 0x1f600 && 0x1f600 <= last));
    expect(drawn.map((slice) => slice.family)).toEqual(['Noto Emoji']);
  });
});
