import { placeholders, type Sql, type SqlText } from '../engine/db';
import { likePattern, likePrefix } from '../engine/records';

/** Shapes of numbers that are told apart; a company that numbers its invoices at random has more. */
const MOST_SHAPES = 20;

/**
 * Finds the invoices whose number or client's name contains a text, by indexes. The cost grows with the number of results and of the
 * company's clients; also with its invoices if the text can be in the middle of a number.
 * @returns their ids, deleted ones included, or null where there are more than `most`
 */
export async function searchInvoices(
  sql: Sql,
  companyId: number,
  text: string,
  most: number,
): Promise<readonly number[] | null> {
  const ids = new Set<number>();
  for (const part of [...byNumber(companyId, text, await shapesOf(sql, companyId)), byClient(companyId, text)]) {
    const rows = await sql.rows<{ id: number }>(`${part.text} LIMIT ${most + 1}`, part.values);
    for (const { id } of rows) ids.add(id);
    if (ids.size > most) return null;
  }
  return [...ids];
}

/** Returns the shapes of a company's numbers, each by one read of the index; null where there are more than a few. */
async function shapesOf(sql: Sql, companyId: number): Promise<string[] | null> {
  const shapes: string[] = [];
  for (let after = ''; shapes.length <= MOST_SHAPES; after = shapes.at(-1) ?? '') {
    const [next] = await sql.rows<{ shape: string }>(
      `SELECT numberShape AS shape FROM invoices FORCE INDEX (invoices_by_number)
        WHERE companyId = ? AND numberShape > ? ORDER BY numberShape LIMIT 1`,
      [companyId, after],
    );
    if (next === undefined) return shapes;
    shapes.push(next.shape);
  }
  return null;
}

/** Where a text can be in the numbers of a shape. */
type Place = 'nowhere' | 'at the beginning' | 'anywhere';

/**
 * Returns where a text can be in the numbers of a shape, as the collation compares them. For letters of ASCII that is without case; any
 * other letter of the text may equal one of them. Shapes that differ in spaces at their ends are one.
 */
export function placeIn(shape: string, text: string): Place {
  if (!/^[\x20-\x7e]*$/.test(text)) return 'anywhere';
  const [whole, part] = [shape.toLowerCase(), shapeOf(text.trimEnd()).toLowerCase()];
  const at = whole.indexOf(part);
  if (at === -1) return 'nowhere';
  // A text that begins with a digit can begin within any run of digits.
  return at > 0 || part.startsWith('0') || whole.includes(part, 1) ? 'anywhere' : 'at the beginning';
}

const shapeOf = (text: string): string => text.replaceAll(/\d+/g, '0');

function byNumber(companyId: number, text: string, shapes: readonly string[] | null): SqlText[] {
  const select = 'SELECT id FROM invoices FORCE INDEX (invoices_by_number) WHERE companyId = ?';
  const inText = "numberText LIKE ? ESCAPE '!'";
  const within = likePattern(text);
  const others = {
    text: `${select} AND numberShape IS NULL AND invoiceNumber COLLATE utf8mb4_unicode_520_ci LIKE ? ESCAPE '!'`,
    values: [companyId, within],
  };
  if (shapes === null) return [{ text: `${select} AND ${inText}`, values: [companyId, within] }, others];
  const ofShapes = (place: Place, pattern: string): SqlText[] => {
    const found = shapes.filter((shape) => placeIn(shape, text) === place);
    const texts = `${select} AND numberShape IN (${placeholders(found.length)}) AND ${inText}`;
    return found.length === 0 ? [] : [{ text: texts, values: [companyId, ...found, pattern] }];
  };
  return [...ofShapes('at the beginning', likePrefix(text)), ...ofShapes('anywhere', within), others];
}

const byClient = (companyId: number, text: string): SqlText => ({
  text: `SELECT STRAIGHT_JOIN i.id FROM clients c FORCE INDEX (clients_by_name)
      JOIN invoices i FORCE INDEX (invoices_by_client) ON i.companyId = c.companyId AND i.clientId = c.id
    WHERE c.companyId = ? AND c.softDelete IN (0, 1) AND c.name LIKE ? ESCAPE '!'`,
  values: [companyId, likePattern(text)],
});
