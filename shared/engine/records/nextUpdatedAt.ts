/** Returns the next `updatedAt`, the record's version. It grows with every accepted change, also with two in one millisecond. */
export function nextUpdatedAt(now: Date, previous: Date): Date {
  return new Date(Math.max(now.getTime(), previous.getTime() + 1));
}

/** {@link nextUpdatedAt} as SQL, for many records in one statement. The placeholder is the present time. */
export const nextUpdatedAtSql = 'GREATEST(CAST(? AS DATETIME(3)), updatedAt + INTERVAL 1000 MICROSECOND)';
