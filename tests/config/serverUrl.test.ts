import { readDatabaseUrl } from '../../config/databaseUrl';
import { ConfigurationError } from '../../config/ConfigurationError';
import { loadConfig } from '../../config/env';
import { readRedisUrl } from '../../config/redisUrl';
import { readSmtpUrl } from '../../config/serverUrl';

const urls = {
  DATABASE_URL: (password: string) => `mysql://user:${password}@db.example:3306/invoicing`,
  REDIS_URL: (password: string) => `redis://user:${password}@redis.example:6379/3`,
  SMTP_URL: (password: string) => `smtp://user:${password}@mail.example:587`,
};
const variables = Object.keys(urls) as (keyof typeof urls)[];

describe.each(variables)('a password in %s', (variable) => {
  test.each([
    'secr/et1234',
    '12/secret34',
    'secr%et1234',
    '%zzsecret34',
    'secr#et1234',
    '12#secret34',
    'secr?et1234',
    '12?secret34',
    '12?secret=34/zzsecret',
    'a@b/secret34',
    'a@b?secret=34',
    'secr et1234',
  ])(
    'that is written as "%s" › ends the start, by an error that says how to encode and shows nothing of it',
    (password) => {
      const problem = problemOf(variable, urls[variable](password));
      expect(problem).toMatch(
        new RegExp(`^${variable} .*; expected (?:mysql|redis|smtp)://user:password@host:.* as %2F`),
      );
      for (const part of password.split(/[/%#? ]/).filter((text) => text.length > 2))
        expect(problem).not.toContain(part);
    },
  );

  test('that is encoded, or has an @ or a : in it › is read', () => {
    for (const password of ['p%40ss%2Fw%25rd', 'p@ss', 'p:ss']) {
      expect(problemOf(variable, urls[variable](password))).toBeUndefined();
    }
  });
});

test('an @ in a password › belongs to the password for every reader of the URL', () => {
  const passwords = [readDatabaseUrl(urls.DATABASE_URL('p@s:s')).url, readSmtpUrl(urls.SMTP_URL('p@s:s')).href].map(
    (url) => new URL(url).password,
  );
  expect(passwords).toEqual(['p%40s%3As', 'p%40s%3As']);
  expect(readRedisUrl(urls.REDIS_URL('p@s:s')).account.password).toBe('p@s:s');
});

test('the options of SMTP_URL › are those of the mail client', () => {
  expect(
    problemOf('SMTP_URL', 'smtp://mail.example:587/?requireTLS=false&proxy=socks5://user:secret%40proxy.example'),
  ).toBe(undefined);
  expect(problemOf('SMTP_URL', 'http://mail.example')).toMatch(
    /^SMTP_URL is not the URL of a mail server; expected smtp:/,
  );
});

function problemOf(variable: string, url: string): string | undefined {
  try {
    loadConfig({ [variable]: url });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems[0];
    throw error;
  }
}
