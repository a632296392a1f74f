const escapes: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

/** The only value of bull-board's page that is written as it is: JSON in a script element. bull-board escapes `<` and `>` in it. */
const RAW = 'uiConfig';

/**
 * Fills the page of bull-board: `<%= name %>` becomes the escaped value, `<%- uiConfig %>` the value as it is.
 * @throws {Error} when the template has anything else, or names a value that is not there.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string | undefined>>): string {
  return template.replace(/<%(?:([=-])\s*(\w+)\s*%>)?/g, (tag: string, kind?: string, name: string = '') => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const isRaw = kind === '-' && name === RAW && !/[<>]/.test(value ?? '');
    if (value === undefined || !(kind === '=' || isRaw)) {
      throw new Error(
        `the page of bull-board has an unknown "${tag}": its version is not the one that this server is for`,
      );
    }
    return isRaw ? value : value.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
  });
}
