/** A replica of MySQL: which reads it may serve, and when. */
export { raiseBeat, shownBeat } from './beats';
export { MAX_LAG_MS, Replica, type ReplicaParts } from './Replica';
