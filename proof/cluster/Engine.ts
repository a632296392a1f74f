import type { Fault } from '../faults/Fault';
import type { InstallationOptions } from '../../dev/installation/startInstallation';

type Log = (line: string) => void;

/** The servers of one engine. */
export interface Servers {
  /** Tests whether every server runs, and has the same data as the others. */
  isWhole(): Promise<boolean>;
  stop(): Promise<void>;
}

/** The settings with which an installation connects to them. */
export type Settings = Pick<InstallationOptions, 'redisUrl' | 'databaseUrl' | 'variables'> &
  Partial<Pick<InstallationOptions, 'apis' | 'workers'>>;

/** A kind of servers, and their faults. */
export interface Description<S extends Servers> {
  readonly name: string;
  readonly what: string;
  /** Seconds within which everything works again. */
  readonly recoversWithin: number;
  /**
   * Installs missing programs as root on Debian or Ubuntu. Returns why this machine cannot run the servers, or null.
   */
  readonly impossible: (log: Log) => Promise<string | null>;
  readonly start: (dataDir: string, log: Log) => Promise<S>;
  readonly settings: (servers: S) => Settings;
  /** By the end of the row's name. */
  readonly faults: Readonly<Record<string, EngineFault<S>>>;
}

export interface EngineFault<S> extends Pick<Fault, 'isPlayedOnce'> {
  readonly what: string;
  readonly play: (servers: S) => Fault['play'];
}

/** A description whose servers do not run yet. */
export interface Engine extends Pick<Description<Servers>, 'name' | 'what' | 'impossible'> {
  readonly rows: readonly Omit<Fault, 'play'>[];
  start(dataDir: string, log: Log): Promise<RunningEngine>;
}

export interface RunningEngine extends Servers {
  readonly settings: Settings;
  /** Never resolves: the end of a server is part of a fault. */
  readonly ended: Promise<string>;
  /** The rows as they are played on these servers. */
  readonly faults: readonly Fault[];
}

/** Makes an engine, whose rows are called `<engine>-<fault>`. */
export function engine<S extends Servers>(description: Description<S>): Engine {
  const { faults, start, settings, recoversWithin, ...shown } = description;
  const rows = Object.entries(faults).map(([kind, { what, play, ...fault }]) => {
    const row = { name: `${shown.name}-${kind}`, what: `${shown.what}: ${what}`, recoversWithin, ...fault };
    return { row, on: (servers: S): Fault => ({ ...row, play: play(servers) }) };
  });
  return {
    ...shown,
    rows: rows.map(({ row }) => row),
    start: async (dataDir, log) => {
      const servers = await start(dataDir, log);
      return {
        settings: settings(servers),
        ended: new Promise(() => undefined),
        isWhole: () => servers.isWhole(),
        stop: () => servers.stop(),
        faults: rows.map(({ on }) => on(servers)),
      };
    },
  };
}
