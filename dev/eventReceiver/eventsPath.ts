/** The path of received events. All paths below it are accepted as well. */
export const eventsPath = '/events';
