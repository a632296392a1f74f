import type { Fault } from '../Fault';
import { deadlyRender } from './deadlyRender';
import { fullDisk } from './fullDisk';
import { killedImport } from './killedImport';
import { killedPayments } from './killedPayments';
import { killedReminders, killedSeries } from './calendar';
import { lockedInvoice, unrecordedEmail, vanishedConnections } from './locks';
import { slowClock } from './slowClock';
import { stoppedApi } from './stoppedApi';
import { strikes } from './strikes';

/** All faults, in the order in which they are played. */
export const faults: readonly Fault[] = [
  ...strikes,
  killedImport,
  killedReminders,
  killedSeries,
  killedPayments,
  stoppedApi,
  vanishedConnections,
  fullDisk,
  lockedInvoice,
  unrecordedEmail,
  slowClock,
  deadlyRender,
];
