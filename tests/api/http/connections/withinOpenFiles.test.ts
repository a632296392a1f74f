import { withinOpenFiles } from '../../../../api/http/connections/withinOpenFiles';

const limits = (files: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${files.padEnd(21)}1048576              files\n`;

test.each([
  ['1048576', 8_000],
  ['9000', 8_000],
  ['4096', 3_096],
  ['1024', 512],
  ['unlimited', 8_000],
])('8,000 connections of a process that may open %s files › it has at most %i', (files, connections) => {
  expect(withinOpenFiles(8_000, limits(files))).toBe(connections);
});

test('connections of a process whose system reports no limit › as many as are configured', () => {
  expect(withinOpenFiles(8_000, '')).toBe(8_000);
});
