import { readDatabaseUrl } from '../../config/databaseUrl';
import { ConfigurationError } from '../../config/ConfigurationError';
import { loadConfig } from '../../config/env';

const base = 'mysql://user:hunter2@db.example:3306/invoicing';

describe('a DATABASE_URL', () => {
  test.each([
    ['', undefined],
    ['?ssl-mode=DISABLED', undefined],
    ['?ssl-mode=REQUIRED', { rejectUnauthorized: false, verifyIdentity: false }],
    ['?ssl-mode=required', { rejectUnauthorized: false, verifyIdentity: false }],
    ['?ssl-mode=VERIFY_CA', { rejectUnauthorized: true, verifyIdentity: false }],
    ['?ssl-mode=VERIFY_IDENTITY', { rejectUnauthorized: true, verifyIdentity: true }],
  ])('with "%s" › says how the connection is protected', (query, ssl) => {
    expect(readDatabaseUrl(base + query)).toEqual({ url: base, ...(ssl && { ssl }) });
  });

  test('of MariaDB › is one of MySQL', () => {
    expect(readDatabaseUrl(base.replace('mysql:', 'mariadb:')).url).toBe(base);
  });

  test.each([
    ['?ssl=true', /^DATABASE_URL has the parameter "ssl"; expected none but \?ssl-mode=/],
    ['?ssl-mode=yes', /^DATABASE_URL has an unknown ssl-mode; expected \?ssl-mode= with one of DISABLED/],
    ['?ssl-mode=REQUIRED&charset=x', /^DATABASE_URL has the parameter "charset"/],
  ])('with "%s" › is refused at start, by an error that names what is right and no secret', (query, message) => {
    const problem = problemOf(base + query);
    expect(problem).toMatch(message);
    expect(problem).not.toContain('hunter2');
  });

  test('with an IP address whose identity is to be verified › is refused', () => {
    expect(problemOf('mysql://u:p@10.0.0.7/invoicing?ssl-mode=VERIFY_IDENTITY')).toMatch(/expected a host name/);
  });
});

function problemOf(databaseUrl: string): string | undefined {
  try {
    loadConfig({ DATABASE_URL: databaseUrl });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems[0];
    throw error;
  }
}
