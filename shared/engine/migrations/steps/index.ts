import * as all from './all';
import type { Migration } from './Migration';

/** All migrations, in the order in which they run: that of their names, which begin with the time of writing. */
export const migrations: readonly Migration[] = Object.values(all).sort((a, b) => (a.name < b.name ? -1 : 1));
