/** Returns the middle value, or the mean of the two middle ones; NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}

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
