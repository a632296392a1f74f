import { contractPath, renderContract } from './contract';
import { commandLinePage } from './commandLinePage';
import { configurationPage } from './configurationPage';
import { eventTypesPage } from './eventTypesPage';
import { thirdPartyPage } from './thirdPartyPage';

interface GeneratedPage {
  /** From the repository's root. */
  path: string;
  /** Returns the text of the page, formatted as `npm run format` leaves it. */
  render: () => string | Promise<string>;
}

/** The generated pages that are committed; a test compares them with what `npm run docs` writes. */
export const committedPages: readonly GeneratedPage[] = [
  { path: 'docs/command-line.md', render: commandLinePage },
  { path: 'docs/configuration.md', render: configurationPage },
  { path: 'docs/event-types.md', render: eventTypesPage },
  { path: contractPath, render: renderContract },
];

/** All pages that `npm run docs` writes. The licences of the packages are written into each image and not committed. */
export const generatedPages: readonly GeneratedPage[] = [
  ...committedPages,
  { path: 'docs/third-party.md', render: thirdPartyPage },
];
