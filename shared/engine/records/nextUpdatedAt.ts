/** `updatedAt` grows with every accepted change, also with two in one millisecond: it is the record's version. */
export function nextUpdatedAt(now: Date, previous: Date): Date {
  return new Date(Math.max(now.getTime(), previous.getTime() + 1));
}

/** {@link nextUpdatedAt} as SQL, for many records at once; its placeholder takes the moment now. */
export const nextUpdatedAtSql = 'GREATEST(CAST(? AS DATETIME(3)), updatedAt + INTERVAL 1000 MICROSECOND)';
