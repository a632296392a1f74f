/** Where the receiver takes events, also at all paths below it. */
export const eventsPath = '/events';
