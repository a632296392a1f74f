import type { Logger } from '../../shared/engine/log';
import { Chromium, type ChromiumRights } from './Chromium';
import { findChromium } from './chromiumBinary';
import { removeOrphanedProfiles } from './orphanedProfiles';
import { privateFolder } from './privateFolder';
import { unpackFontConfig } from './unpackChromium';

/** How browsers are found and started. */
export interface LauncherOptions {
  /** A Chrome or Chromium binary; empty to find one. */
  chromePath: string;
  /** Allows production to run a browser without its own sandbox. */
  allowNoSandbox: boolean;
  environment: 'development' | 'test' | 'production';
}

/** Thrown in production when Chromium cannot use its own sandbox and the configuration requires it. */
class SandboxUnavailable extends Error {
  constructor(cause: unknown) {
    super(
      'Chromium did not start with its own sandbox. Run the worker on a machine that allows user namespaces (in a container: ' +
        'with the seccomp profile ops/chromium-seccomp.json), or accept the container as the only wall with ' +
        'CHROME_ALLOW_NO_SANDBOX=true.',
      { cause },
    );
    this.name = 'SandboxUnavailable';
  }
}

const risk =
  'Chromium runs without its own sandbox: through a hole in it, whoever supplies the text of an invoice gets the rights of ' +
  'this worker, with the credentials of database, mail and gateway';

/** Chromium's sandbox does not work as root, so a worker that runs as root starts the browser as the user "nobody". */
const nobody = 65_534;

/** Returns the ways to start a browser, the safest first. */
function waysOf({ allowNoSandbox, environment }: LauncherOptions): ChromiumRights[] {
  const users = process.getuid?.() === 0 ? [nobody, null] : [null];
  const sandboxed = { user: users[0] ?? null, sandbox: true };
  const mayDropSandbox = allowNoSandbox || environment !== 'production';
  return [sandboxed, ...(mayDropSandbox ? users.map((user) => ({ user, sandbox: false })) : [])];
}

/**
 * Returns a function that starts a browser in the safest way that works, `nicerBy` nicer than this process. The first successful start
 * decides the way; later starts never fall back to a less safe one.
 */
export function chromiumLauncher(options: LauncherOptions, log: Logger): (nicerBy?: number) => Promise<Chromium> {
  let ways = waysOf(options);
  return async (nicerBy = 0) => {
    const folder = await privateFolder('invoicing-chromium');
    await removeOrphanedProfiles(folder, log);
    const binary = await findChromium(options.chromePath, folder);
    const fontConfig = await unpackFontConfig(folder);
    let failure: unknown;
    for (const way of ways) {
      try {
        const browser = await Chromium.launch({ binary, fontConfig, folder, nicerBy, ...way });
        if (ways.length > 1 && !way.sandbox) log.warn({ err: failure, user: way.user ?? 'the worker’s' }, risk);
        ways = [way];
        return browser;
      } catch (error) {
        failure = error;
      }
    }
    throw ways.some(({ sandbox }) => !sandbox) ? failure : new SandboxUnavailable(failure);
  };
}
