/**
 * Returns lines of cells as columns of text. The first and the last `leftAtEnd` columns are aligned left, the others
 * right.
 */
export function aligned(lines: readonly (readonly string[])[], leftAtEnd: number): string[] {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines.map((line) =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 || column >= line.length - leftAtEnd ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
