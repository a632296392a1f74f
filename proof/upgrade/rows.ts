import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../../config/paths';
import { migrateDown, migrateUp, migrationStatus } from '../../shared/engine/migrations/migrate';
import { startProcesses, type Installation } from '../../dev/installation/startInstallation';
import type { Release } from './earlierRelease';

/** A way from one release to another, under load. */
export interface UpgradeRow {
  readonly name: string;
  readonly what: string;
  /** Makes the installation one of the release that the row begins with. */
  begin(installation: Installation, earlier: Release): Promise<void>;
  change(installation: Installation, earlier: Release): Promise<void>;
}

/** The time of load between two steps. */
const betweenStepsMs = 1_000;

export const rows: readonly UpgradeRow[] = [
  {
    name: 'upgrade',
    what: 'the schema is migrated while the earlier release runs on it; then workers and APIs are replaced one by one',
    begin: async (installation, { folder, migrations }) => {
      await stopAll(installation);
      await revertTo(migrations, databaseUrlOf(installation));
      for (const machine of machinesOf(installation)) machine.release = folder;
      await startProcesses(installation);
    },
    change: async (installation) => {
      await sleep(betweenStepsMs);
      await migrateUp(databaseUrlOf(installation));
      await replaceAll(installation, projectRoot);
    },
  },
  {
    name: 'rollback',
    what: 'workers and APIs are replaced one by one by those of the earlier release, which run on the newer schema',
    begin: async (installation) => {
      await stopAll(installation);
      await migrateUp(databaseUrlOf(installation));
      for (const machine of machinesOf(installation)) machine.release = projectRoot;
      await startProcesses(installation);
    },
    change: (installation, { folder }) => replaceAll(installation, folder),
  },
];

/** Workers first, as docs/run.md#upgrades says. */
const machinesOf = ({ workers, apis }: Installation) => [...workers, ...apis].map(({ machine }) => machine);

const databaseUrlOf = ({ mysql }: Installation): string => `${mysql.url}/invoicing`;

async function stopAll(installation: Installation): Promise<void> {
  await Promise.all(machinesOf(installation).map((machine) => machine.stop()));
}

async function replaceAll(installation: Installation, release: string): Promise<void> {
  for (const machine of machinesOf(installation)) {
    await sleep(betweenStepsMs);
    machine.release = release;
    await machine.restart();
  }
  await sleep(betweenStepsMs);
}

/** Reverts every migration that is not one of these. */
async function revertTo(migrations: ReadonlySet<string>, databaseUrl: string): Promise<void> {
  const { done } = await migrationStatus(databaseUrl);
  for (const name of [...done].reverse()) {
    if (migrations.has(name)) return;
    await migrateDown(databaseUrl);
  }
}
