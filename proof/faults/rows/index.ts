import type { Fault } from '../Fault';
import { deadlyRender } from './deadlyRender';
import { emptiedRedis } from './emptiedRedis';
import { fullDisk } from './fullDisk';
import { killedApi } from './killedApi';
import { killedImport } from './killedImport';
import { killedMysql } from './killedMysql';
import { killedPayments } from './killedPayments';
import { killedReminders } from './killedReminders';
import { killedSeries } from './killedSeries';
import { killedStripe } from './killedStripe';
import { killedWorker } from './killedWorker';
import { lockedInvoice } from './lockedInvoice';
import { missingVolume } from './missingVolume';
import { silentRedis } from './silentRedis';
import { slowClock } from './slowClock';
import { stoppedApi } from './stoppedApi';
import { unrecordedEmail } from './unrecordedEmail';
import { vanishedConnections } from './vanishedConnections';

/** All faults, in the order in which they are played. */
export const faults: readonly Fault[] = [
  killedApi,
  killedWorker,
  killedImport,
  killedReminders,
  killedSeries,
  killedStripe,
  killedPayments,
  stoppedApi,
  vanishedConnections,
  silentRedis,
  emptiedRedis,
  killedMysql,
  missingVolume,
  fullDisk,
  lockedInvoice,
  unrecordedEmail,
  slowClock,
  deadlyRender,
];
