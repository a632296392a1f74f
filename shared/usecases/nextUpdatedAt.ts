/** `updatedAt` grows with every accepted change, also with two in one millisecond: it is the record's version. */
export function nextUpdatedAt(now: Date, previous: Date): Date {
  return new Date(Math.max(now.getTime(), previous.getTime() + 1));
}
