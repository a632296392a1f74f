import type { Sequelize } from 'sequelize-typescript';

/** Connections of a pool: in use, and free to be taken (open or not); and how many callers wait for one. */
export interface PoolUse {
  used: number;
  free: number;
  waiting: number;
}

/** What Sequelize's pool knows of itself; it is not in Sequelize's types. */
interface Pool {
  readonly using: number;
  readonly waiting: number;
  readonly maxSize: number;
}

/** Returns how the connections of a database are used now. */
export function poolUse(sequelize: Sequelize): PoolUse {
  const { using, waiting, maxSize } = (sequelize.connectionManager as unknown as { pool: Pool }).pool;
  return { used: using, free: maxSize - using, waiting };
}
