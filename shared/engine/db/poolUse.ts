import type { Sequelize } from 'sequelize-typescript';

/** What Sequelize's pool knows of itself; it is not in Sequelize's types. */
interface Pool {
  readonly using: number;
  readonly waiting: number;
  readonly maxSize: number;
}

/** Returns how many connections of a database are in use and free to be taken (open or not), and how many callers wait for one. */
export function poolUse(sequelize: Sequelize): Record<'used' | 'free' | 'waiting', number> {
  const { using, waiting, maxSize } = (sequelize.connectionManager as unknown as { pool: Pool }).pool;
  return { used: using, free: maxSize - using, waiting };
}
