import { ConnectionRefusedError, DatabaseError } from 'sequelize';
import { toDatabaseUnavailable } from '../../../../shared/engine/db/databaseErrors';

const driver = (errno: number, code: string): Error => Object.assign(new Error(code), { errno, code });

describe('an error of MySQL for which a retry helps', () => {
  test.each([
    [1205, 'ER_LOCK_WAIT_TIMEOUT', 'contended'],
    [1213, 'ER_LOCK_DEADLOCK', 'contended'],
    [1317, 'ER_QUERY_INTERRUPTED', 'contended'],
    [1969, 'ER_STATEMENT_TIMEOUT', 'contended'],
    [3024, 'ER_QUERY_TIMEOUT', 'contended'],
    [1290, 'ER_OPTION_PREVENTS_STATEMENT', 'unavailable'],
    [1836, 'ER_READ_ONLY_MODE', 'unavailable'],
    [1792, 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION', 'unavailable'],
    [1021, 'ER_DISK_FULL', 'unavailable'],
    [1114, 'ER_RECORD_FILE_FULL', 'unavailable'],
    [1030, 'ER_GET_ERRNO', 'unavailable'],
    [1040, 'ER_CON_COUNT_ERROR', 'unavailable'],
    [1927, 'ER_CONNECTION_KILLED', 'unavailable'],
    [4031, 'ER_CLIENT_INTERACTION_TIMEOUT', 'unavailable'],
    [-111, 'ECONNREFUSED', 'unavailable'],
  ])('%i %s › 503 and retryable, %s', (errno, code, reason) => {
    const expected = { status: 503, retryable: true, headers: { 'Retry-After': '2' }, reason };
    expect(toDatabaseUnavailable(driver(errno, code))).toMatchObject(expected);
    const wrapped = new DatabaseError(Object.assign(driver(errno, code), { sql: 'SELECT 1' }));
    expect(toDatabaseUnavailable(wrapped)).toMatchObject({ ...expected, cause: wrapped });
  });

  test('one that Sequelize could not connect with › unavailable', () => {
    expect(toDatabaseUnavailable(new ConnectionRefusedError(new Error('x')))).toMatchObject({ reason: 'unavailable' });
  });

  test('no socket of that name › unavailable; a missing file is no error of MySQL', () => {
    const missing = (syscall: string) => Object.assign(driver(-2, 'ENOENT'), { syscall });
    expect(toDatabaseUnavailable(missing('connect'))).toMatchObject({ reason: 'unavailable' });
    expect(toDatabaseUnavailable(missing('open'))).toBeNull();
  });

  test('one that says so already › is returned as it is', () => {
    const known = toDatabaseUnavailable(driver(1205, 'x'));
    expect(toDatabaseUnavailable(known)).toBe(known);
  });
});

test.each([
  [1062, 'ER_DUP_ENTRY'],
  [1064, 'ER_PARSE_ERROR'],
  [1406, 'ER_DATA_TOO_LONG'],
  [1452, 'ER_NO_REFERENCED_ROW_2'],
])('%i %s › is an error of ours: no retry', (errno, code) => {
  expect(toDatabaseUnavailable(driver(errno, code))).toBeNull();
});

test('what is no error of MySQL › no retry', () => {
  expect(toDatabaseUnavailable(new RangeError('x'))).toBeNull();
  expect(toDatabaseUnavailable(undefined)).toBeNull();
});
