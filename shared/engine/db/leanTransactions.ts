import type { Connection } from 'mysql2';
import type { Sequelize } from 'sequelize-typescript';
import { useMeter } from './meterConnection';

interface StartedTransaction {
  connection: Connection;
  finished?: 'commit' | 'rollback';
}

/** The methods by which Sequelize's transactions send their statements; not in its types. */
interface TransactionStatements {
  startTransaction(transaction: StartedTransaction): Promise<void>;
  commitTransaction(transaction: StartedTransaction): Promise<void>;
  rollbackTransaction(transaction: StartedTransaction): Promise<void>;
}

/**
 * Sends START TRANSACTION, COMMIT and ROLLBACK straight to the driver. Through Sequelize's queries, which add nothing, an empty
 * transaction takes 0.24 ms in place of 0.13, and twice the CPU; a whole create of an expense takes 0.6 ms. There are no nested
 * transactions here.
 */
export function useLeanTransactions(sequelize: Sequelize): void {
  const statements = sequelize.getQueryInterface() as unknown as TransactionStatements;
  statements.startTransaction = ({ connection }) => send(connection, 'START TRANSACTION');
  statements.commitTransaction = (transaction) => end(transaction, 'commit', 'COMMIT');
  statements.rollbackTransaction = (transaction) => end(transaction, 'rollback', 'ROLLBACK');
}

function end(transaction: StartedTransaction, how: 'commit' | 'rollback', statement: string): Promise<void> {
  transaction.finished = how;
  // The next use of the connection is another's.
  return send(transaction.connection, statement).finally(() => useMeter(transaction.connection, null));
}

function send(connection: Connection, statement: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(statement, (error) => (error ? reject(error) : resolve()));
  });
}
