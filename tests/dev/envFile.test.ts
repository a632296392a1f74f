import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvFile, writeEnvFile } from '../../dev/launcher/envFile';

describe('env files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'invoicing-env-'));
  const file = join(folder, 'demo.env');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const values = { BASE_URL: 'http://127.0.0.1:3000', CLIENT_ID: 1, FOLDER: '/home/Jo Smith/$HOME #1', EMPTY: '' };
  const read = { ...values, CLIENT_ID: '1' };

  test('what was written is read back, numbers as text, undefined left out', () => {
    writeEnvFile(file, { ...values, MISSING: undefined });
    expect(readEnvFile(file)).toEqual(read);
  });

  test('a shell reads the same values', () => {
    writeEnvFile(file, values);
    const shown = execFileSync('sh', [
      '-c',
      '. "$1" && printf "%s\\n" "$BASE_URL" "$CLIENT_ID" "$FOLDER" "$EMPTY"',
      'sh',
      file,
    ]);
    expect(shown.toString()).toBe(`${Object.values(read).join('\n')}\n`);
  });

  test('only the owner can read it, also after it was written again', () => {
    writeEnvFile(file, values);
    writeEnvFile(file, values);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a value that cannot be kept is refused', () => {
    expect(() => writeEnvFile(file, { A: "it's" })).toThrow('cannot be kept');
  });

  test('no file has no values', () => {
    expect(readEnvFile(join(folder, 'none.env'))).toEqual({});
  });
});
