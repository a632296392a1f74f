import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateHaproxy } from '../../../dev/servers/privateHaproxy';
import { type CallResult, Load, type LoadOptions, noneFailed, secondsUntilAllWorks } from '../../faults/calls';
import {
  createInvoice,
  createLink,
  downloadPdf,
  listInvoices,
  sendEmail,
  uploadReceipt,
} from '../../faults/operations';
import { makeOperations } from '../../faults/playStrike';
import type { World } from '../../faults/World';
import type { Machine } from '../../../dev/installation/Machine';
import type { Api } from '../../../dev/installation/startInstallation';
import { untilTrue } from '../../installation/waiting';

const kinds = [createInvoice, sendEmail, createLink, downloadPdf, uploadReceipt, listInvoices];
/** The time of load before and after each change. */
const aroundChangesMs = 1_000;
/** Operations of each kind that are made before a standstill. */
const preparedOfKind = 40;
/** Operations begin at this fraction of the rate, since each is retried until the service works again. */
const slowerAtStandstill = 2;
/** Requests under a key whose first one MySQL has interrupted get 409 until the key is free again, which takes 10 s. */
const expectedAtStandstill = ['503', '409'];

interface Parts {
  readonly log: (line: string) => void;
  /** Its callers reach the APIs through the proxy. */
  readonly world: World;
  readonly proxy: PrivateHaproxy;
  readonly apis: readonly Api[];
  /** Milliseconds from one request to the next. */
  readonly everyMs: number;
}

interface Loaded extends Omit<LoadOptions, 'kinds'> {
  readonly name: string;
  readonly change: () => Promise<void>;
  /** Statuses other than 2xx that callers may get. */
  readonly expected: readonly string[];
}

/** Makes changes of an installation, one after the other, under load. */
export class Walk {
  readonly results: CallResult[] = [];
  readonly problems: string[] = [];
  longestStandstill = 0;
  private variables: Readonly<Record<string, string>> = {};
  private readonly own = new Map<Machine, Readonly<Record<string, string>>>();

  constructor(private readonly parts: Parts) {}

  /** Makes a change during which no request may fail. */
  async step(name: string, change: () => Promise<void>): Promise<void> {
    await this.underLoad({ name, change, prepared: [], everyMs: this.parts.everyMs, expected: [] });
  }

  /** Makes a change during which the service may be unavailable. */
  async standstill(name: string, change: () => Promise<void>): Promise<void> {
    const { world, log, everyMs } = this.parts;
    let seconds = 0;
    await this.underLoad({
      name,
      change: async () => {
        const begun = Date.now();
        await change();
        await secondsUntilAllWorks(world, kinds);
        seconds = (Date.now() - begun) / 1_000;
      },
      prepared: await makeOperations(world, kinds, preparedOfKind),
      everyMs: everyMs * slowerAtStandstill,
      expected: expectedAtStandstill,
    });
    this.longestStandstill = Math.max(this.longestStandstill, seconds);
    log(`    stood still for ${seconds.toFixed(1)} s`);
  }

  /** Sets variables that all processes get at their next start. */
  use(variables: Readonly<Record<string, string>>): void {
    this.variables = { ...this.variables, ...variables };
  }

  /** Restarts a process with all variables and its own, and waits until the proxy has noticed. */
  async replace(machine: Machine, own = this.own.get(machine) ?? {}): Promise<void> {
    this.own.set(machine, own);
    await machine.stop();
    await this.untilSeen();
    await this.startAll([machine]);
  }

  /** Starts processes at the same time, with all variables. */
  async startAll(machines: readonly Machine[]): Promise<void> {
    await Promise.all(machines.map((machine) => machine.start({ ...this.variables, ...this.own.get(machine) })));
    await this.untilSeen();
  }

  async replaceInTurn(machines: readonly Machine[]): Promise<void> {
    for (const machine of machines) await this.replace(machine);
  }

  private async underLoad({ name, change, expected, ...load }: Loaded): Promise<void> {
    const { world, log } = this.parts;
    const callers = new Load(world, { kinds, ...load });
    try {
      await sleep(aroundChangesMs);
      await change();
      await sleep(aroundChangesMs);
    } finally {
      await callers.end();
    }
    const results = await callers.end();
    this.results.push(...results);
    this.problems.push(...noneFailed(results, expected).map((problem) => `${name}: ${problem}`));
    const tries = results.flatMap((result) => result.tries);
    const accepted = results.filter(({ outcome }) => outcome === 'accepted').length;
    const failed = tries.filter((status) => !status.startsWith('2')).length;
    log(
      `  ${name}: ${accepted} of ${results.length} operations accepted, ${failed} of ${tries.length} requests failed`,
    );
  }

  /** Waits until the proxy leads to exactly the APIs that run. */
  private async untilSeen(): Promise<void> {
    const { apis, proxy } = this.parts;
    await untilTrue('the proxy leads to the APIs that run', async () => {
      const up = (await proxy.servers()).filter(({ state }) => state === 'UP').length;
      return up === apis.filter(({ machine }) => machine.runs).length;
    });
  }
}
