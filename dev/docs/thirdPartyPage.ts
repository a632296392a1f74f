import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { splitLicence } from './splitLicence';

interface LockedPackage {
  version: string;
  license: string;
  dev?: boolean;
  optional?: boolean;
}

interface NpmPackage extends LockedPackage {
  name: string;
  folder: string;
}

const introduction = `# Third-party software

For people who pass the service on, for example as an image, and for those who check its licences. After reading this page you
know which software and fonts an installation contains, and have the notices that their licences ask for. \`npm run docs\` generates
it from \`package-lock.json\` and the licence files of the packages.

The service itself is under the [MIT licence](../LICENSE). MySQL, Redis, Node.js and the base of the Docker image are not part of
it and not listed here.

## Chromium

The npm package \`@sparticuz/chromium\` (and \`chromium-for-node-22\`, a newer version of it) contains:

- Chromium's headless shell: BSD-3-Clause, Copyright 2015 The Chromium Authors. Its source code contains software under further licences:
  [LICENSE](https://chromium.googlesource.com/chromium/src/+/refs/heads/main/LICENSE),
  [credits](https://chromium.googlesource.com/chromium/src/+/refs/heads/main/tools/licenses/)
- NSS and NSPR: MPL-2.0. Source code: [NSS](https://hg.mozilla.org/projects/nss), [NSPR](https://hg.mozilla.org/projects/nspr)
- Expat: MIT. SwiftShader: Apache-2.0. ANGLE: BSD-3-Clause
- the typeface Open Sans: OFL-1.1, Copyright 2020 The Open Sans Project Authors (https://github.com/googlefonts/opensans)

## Fonts

The packages \`@fontsource/*\`, \`@expo-google-fonts/*\` and \`noto-sans-sc\` contain typefaces under the SIL Open Font License 1.1, which is
among the texts below with the copyright of each typeface. PDFs contain the characters that they use; the licence does not extend to
documents.

## libvips

The packages \`@img/sharp-libvips-*\` contain libvips and libraries that it uses, under LGPL-3.0-or-later and other licences. The
README of each package lists them. They are shared libraries in a package of their own, which can be replaced:
[source code](https://github.com/lovell/sharp-libvips).
`;

/**
 * Returns `docs/third-party.md`. It depends on nothing but package-lock.json and the packages that every machine
 * installs.
 */
export function thirdPartyPage(): string {
  const packages = productionPackages();
  const required = packages.filter(({ optional }) => optional !== true);
  const { texts, without } = collectTexts(required);
  return [
    introduction,
    '## Licences of the npm packages\n',
    countByLicence(packages),
    '## Optional packages\n\nnpm installs those that fit the machine. Their folders contain their licences.\n',
    fence(packages.filter(({ optional }) => optional === true).map((each) => `${nameOf(each)}: ${each.license}`)),
    '## Packages without a licence file\n\nThese name their licence in `package.json`. The texts below contain it.\n',
    fence(without.map((each) => `${nameOf(each)}: ${each.license}${authorOf(each)}`)),
    '## Licence texts\n\nEach text stands once, after the packages that are under it and the copyright notices of their files.\n',
    ...texts.map(({ licence, packages: under, text }, index) =>
      [`### Text ${index + 1}: ${licence}\n`, fence(under), fence([text])].join('\n'),
    ),
  ].join('\n');
}

/** Returns the packages that `npm ci --omit=dev` installs on any system, sorted by name and version. */
function productionPackages(): NpmPackage[] {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(lock.packages)
    .filter(([folder, entry]) => folder !== '' && entry.dev !== true)
    .map(([folder, entry]) => ({ ...entry, folder, name: folder.split('node_modules/').at(-1) ?? folder }))
    .sort((one, other) => compare(nameOf(one), nameOf(other)));
}

/** Groups the packages by the text of their licences, the most frequent text first. */
function collectTexts(packages: readonly NpmPackage[]) {
  const groups = new Map<string, { licence: string; packages: Set<string>; text: string }>();
  const without: NpmPackage[] = [];
  for (const each of packages) {
    const files = readdirSync(join(projectRoot, each.folder)).filter((name) =>
      /^(?:licen[cs]e|copying|notice)/i.test(name),
    );
    if (files.length === 0) without.push(each);
    for (const file of files.sort(compare)) {
      const { notices, text, key } = splitLicence(readFileSync(join(projectRoot, each.folder, file), 'utf8'));
      const group = groups.get(key) ?? { licence: each.license, packages: new Set(), text };
      groups.set(key, group);
      group.packages.add([`${nameOf(each)}: ${each.license}`, ...notices.map((notice) => `  ${notice}`)].join('\n'));
    }
  }
  const texts = [...groups.values()].sort((one, other) => other.packages.size - one.packages.size);
  return { texts, without };
}

function countByLicence(packages: readonly NpmPackage[]): string {
  const counts = new Map<string, number>();
  for (const { license } of packages) counts.set(license, (counts.get(license) ?? 0) + 1);
  const lines = [...counts].sort(([one], [other]) => compare(one, other));
  return `${lines.map(([license, count]) => `- ${license}: ${count}`).join('\n')}\n`;
}

/** Returns `, by <author>` as package.json names one, or nothing. */
function authorOf({ folder }: NpmPackage): string {
  const { author } = JSON.parse(readFileSync(join(projectRoot, folder, 'package.json'), 'utf8')) as {
    author?: string | { name: string };
  };
  const name = typeof author === 'object' ? author.name : author;
  return name === undefined ? '' : `, by ${name}`;
}

function nameOf({ name, version }: NpmPackage): string {
  return `${name} ${version}`;
}

/** Compares by code units, independently of the locale. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function fence(lines: Iterable<string>): string {
  return `\`\`\`text\n${[...new Set(lines)].join('\n')}\n\`\`\`\n`;
}
