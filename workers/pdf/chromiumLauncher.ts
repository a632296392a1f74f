import { userInfo } from 'node:os';
import type { Logger } from '../../shared/log';
import { Chromium } from './Chromium';
import { findChromium } from './chromiumBinary';
import { removeOrphanedProfiles } from './orphanedProfiles';
import { privateFolder } from './privateFolder';
import { unpackFontConfig } from './unpackChromium';

/** How browsers are found and started. */
export interface LauncherOptions {
  /** A Chrome or Chromium binary; empty means: find one. */
  chromePath: string;
  /** Allows production to run a browser without its own sandbox. */
  allowNoSandbox: boolean;
  environment: 'development' | 'test' | 'production';
}

/** Thrown in production where Chromium's own sandbox cannot be used and nobody allowed to do without. */
class SandboxUnavailable extends Error {
  constructor(reason: string, cause?: unknown) {
    super(
      `Chromium cannot use its own sandbox: ${reason}. Run the worker as an ordinary user on a machine that allows user ` +
        'namespaces, or accept the container as the only wall with CHROME_ALLOW_NO_SANDBOX=true.',
      { cause },
    );
    this.name = 'SandboxUnavailable';
  }
}

/** A function that starts one browser each time: sandboxed where that works, else without and with a warning. */
export function chromiumLauncher(options: LauncherOptions, log: Logger): () => Promise<Chromium> {
  const mayDropSandbox = options.allowNoSandbox || options.environment !== 'production';
  const asRoot = userInfo().uid === 0;
  let sandbox = !asRoot;
  return async () => {
    if (!sandbox && !mayDropSandbox) throw new SandboxUnavailable('the worker runs as root');
    const folder = await privateFolder('invoicing-chromium');
    await removeOrphanedProfiles(folder);
    const binary = await findChromium(options.chromePath, folder);
    const fontConfig = await unpackFontConfig(folder);
    const launch = { binary, fontConfig, folder };
    if (sandbox) {
      try {
        return await Chromium.launch({ ...launch, sandbox });
      } catch (error) {
        if (!mayDropSandbox) throw new SandboxUnavailable('it did not start with it', error);
        sandbox = false;
      }
    }
    log.warn({ asRoot }, 'Chromium runs without its own sandbox: the wall around it is the container or the machine');
    return Chromium.launch({ ...launch, sandbox });
  };
}
