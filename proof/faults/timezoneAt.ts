/**
 * Returns a zone in which it is between 09:00 and 21:00: reminders go out from 09:00, and the day does not change
 * during a round.
 */
export const timezoneAt = (now: Date): string =>
  now.getUTCHours() >= 9 && now.getUTCHours() < 21 ? 'UTC' : 'Pacific/Tarawa'; // 12 hours ahead, all year
