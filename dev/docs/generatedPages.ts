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

/** The pages that `npm run docs` writes; a test compares them with the committed ones. */
export const generatedPages: readonly GeneratedPage[] = [
  { path: 'docs/command-line.md', render: commandLinePage },
  { path: 'docs/configuration.md', render: configurationPage },
  { path: 'docs/event-types.md', render: eventTypesPage },
  { path: 'docs/third-party.md', render: thirdPartyPage },
];
