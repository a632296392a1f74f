import { localeFormat } from '../../../shared/documents/localeFormat';

test('tags of one locale, however they are written › take its formatters once', () => {
  localeFormat('de').money('EUR');
  const dates = jest.spyOn(Intl, 'DateTimeFormat');
  for (const tag of ['de', 'DE', 'de-AQ', 'de-x-a1', 'de-x-a2', 'de-u-nu-arab']) {
    expect(localeFormat(tag).money('EUR')).toBe(localeFormat('de').money('EUR'));
  }
  expect(dates).not.toHaveBeenCalled();
});
