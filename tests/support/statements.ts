import type { Connection, QueryOptions } from 'mysql2';
import type { Services } from '../../shared/services';

type Send = (statement: string | QueryOptions, ...rest: unknown[]) => unknown;

/** Records the statements that one process sends to MySQL, in their order, without those that set up a connection. */
export class Statements {
  readonly sent: string[] = [];
  private readonly recorded = new WeakSet<object>();

  constructor({ sequelize }: Pick<Services, 'sequelize'>) {
    const { connectionManager } = sequelize;
    const getConnection = connectionManager.getConnection.bind(connectionManager);
    connectionManager.getConnection = async (options) => {
      const connection = await getConnection(options);
      this.record(connection as Connection);
      return connection;
    };
  }

  /** Returns the statements of `work`. */
  async of(work: () => Promise<unknown>): Promise<string[]> {
    this.sent.length = 0;
    await work();
    return [...this.sent];
  }

  private record(connection: Connection): void {
    if (this.recorded.has(connection)) return;
    this.recorded.add(connection);
    for (const method of ['query', 'execute'] as const) {
      const send = connection[method].bind(connection) as Send;
      connection[method] = ((statement: string | QueryOptions, ...rest: unknown[]) => {
        this.sent.push((typeof statement === 'string' ? statement : statement.sql).replaceAll(/\s+/g, ' ').trim());
        return send(statement, ...rest);
      }) as never;
    }
  }
}
