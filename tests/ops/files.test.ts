import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { variablesIn } from '../../config/variable';
import { variables } from '../../config/variables';
import { projectRoot } from '../../config/paths';
import { findBinary } from '../../dev/servers/findBinary';
import { installMissingServers } from '../../dev/servers/installSystemPackages';
import { selfSigned } from '../support/certificate';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ops-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const opsFile = (name: string): string => readFileSync(join(projectRoot, 'ops', name), 'utf8');

describe('ops/nginx.conf', () => {
  test('nginx › accepts it', async () => {
    await installMissingServers(['nginx'], (line) => process.stderr.write(`${line}\n`));
    const pem = selfSigned('localhost');
    writeFileSync(join(folder, 'billing.example.com.pem'), pem.cert);
    writeFileSync(join(folder, 'billing.example.com.key'), pem.key);
    writeFileSync(
      join(folder, 'site.conf'),
      opsFile('nginx.conf').replaceAll(/\/etc\/nginx\/certs|\/var\/log\/nginx/g, folder),
    );
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (part) => `${part}_temp_path ${folder}/${part};`,
    );
    const main = join(folder, 'nginx.conf');
    writeFileSync(
      main,
      `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')} include site.conf; }`,
    );
    const { stderr } = await run(findBinary('nginx') ?? '', ['-t', '-c', main]);
    expect(stderr).toMatch(/test is successful/);
    expect(stderr).not.toMatch(/warn|emerg/);
  });
});

describe('ops/systemd', () => {
  const units = readdirSync(join(projectRoot, 'ops/systemd'));
  const names = new Set<string>(variablesIn(variables).map(({ name }) => name));

  test.each(units)('%s › starts what the build makes, and sets variables that there are', (unit) => {
    const text = opsFile(`systemd/${unit}`);
    const entry = /^ExecStart=\/usr\/bin\/node .*?(dist\/\S+\.js)/m.exec(text)?.[1] ?? '';
    expect(readFileSync(join(projectRoot, entry), 'utf8')).not.toBe('');
    const set = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, all = '']) => all.split(' '));
    for (const assignment of set) expect([...names, 'TMPDIR']).toContain(assignment.split('=')[0]);
  });

  test('systemd › accepts every unit', async () => {
    const analyze = findBinary('systemd-analyze');
    // Only machines with systemd can tell.
    if (analyze === undefined) return;
    for (const unit of units) {
      writeFileSync(join(folder, unit), opsFile(`systemd/${unit}`).replace('/usr/bin/node', process.execPath));
      expect((await run(analyze, ['verify', join(folder, unit)])).stderr).toBe('');
    }
  });
});
