import { RowCounter } from '../../../cli/backup/RowCounter';

const dump = Buffer.from(
  [
    'CREATE TABLE `a` (',
    "  `x` varchar(9) DEFAULT ' VALUES (1),(2)'",
    ');',
    "INSERT INTO `a` VALUES (1,'plain'),(2,'it''s; (a) \\\\'),(3,'\\'),(4);\\nINSERT INTO `b` VALUES (1)');",
    'INSERT INTO `generated` (`id`, `name`) VALUES (1,0x00),',
    "(2,POINT(1,2)),(3,NULL);INSERT INTO `a` VALUES (9,'');",
    '',
  ].join('\n'),
);

test.each([1, 7, dump.length])('rows of a dump › in pieces of %d bytes › are counted by table', (size) => {
  const counter = new RowCounter();
  for (let at = 0; at < dump.length; at += size) counter.feed(dump.subarray(at, at + size));
  expect(counter.rows).toEqual({ a: 4, generated: 3 });
});
