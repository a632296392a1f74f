import { optionsText } from '../../../cli/backup/optionFile';
import { databaseOf } from '../../../cli/connectionProblem';

const url = `mysql://us%40er:${encodeURIComponent(`p"a'ss\\w #1;`)}@db.example.com/acme`;

describe('the option file of the programs for dumps', () => {
  test('has account and address, with quotes and backslashes escaped, and no TLS unless the URL asks for it', () => {
    const lines = ['[client]', 'host="db.example.com"', 'port="3306"', 'protocol="tcp"', 'user="us@er"'];
    lines.push(`password="p\\"a'ss\\\\w #1;"`);
    expect(optionsText(url, true, '/ca').trim().split('\n')).toEqual([...lines, 'ssl="0"']);
    expect(optionsText(url, false, '/ca')).toContain('ssl-mode="DISABLED"');
    expect(databaseOf(url)).toBe('acme');
  });

  test.each([
    ['REQUIRED', true, ['ssl="1"', 'ssl-verify-server-cert="0"']],
    ['VERIFY_CA', true, ['ssl="1"', 'ssl-verify-server-cert="1"', 'ssl-ca="/ca"']],
    ['VERIFY_IDENTITY', true, ['ssl="1"', 'ssl-verify-server-cert="1"', 'ssl-ca="/ca"']],
    ['REQUIRED', false, ['ssl-mode="REQUIRED"']],
    ['VERIFY_CA', false, ['ssl-mode="VERIFY_CA"', 'ssl-ca="/ca"']],
    ['VERIFY_IDENTITY', false, ['ssl-mode="VERIFY_IDENTITY"', 'ssl-ca="/ca"']],
  ])('ssl-mode=%s, MariaDB %s › is never weaker than the connection of the service', (mode, isMariadb, expected) => {
    const text = optionsText(`${url}?ssl-mode=${mode}`, isMariadb, '/ca');
    expect(text.split('\n').filter((line) => line.startsWith('ssl'))).toEqual(expected);
  });
});
