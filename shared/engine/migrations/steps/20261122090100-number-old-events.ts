import { updateEvents } from './Migration';

/**
 * Numbers the events that are there. Their ids are numbers that increase in the order of the feed, and every number that
 * is given later is larger.
 */
export default updateEvents('UPDATE events SET seq = id WHERE id BETWEEN ? AND ? AND seq IS NULL');
