/** How to encode a password in a URL, for errors and documentation. */
const encoding =
  'User and password are parts of a URL: in them, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25, ' +
  'as encodeURIComponent of JavaScript does';

/**
 * Reads the URL of a server with `user:password@`. An `@` or `:` that is not encoded counts as part of the password.
 * @param expected a right value, as an example
 * @throws {RangeError} for text that is not a URL, and for a user or password that is not encoded. The message explains the encoding and
 * contains nothing of the text.
 */
export function readServerUrl(given: string, expected: string): URL {
  const refused = new RangeError(`cannot be read as a URL; expected ${expected}. ${encoding}`);
  if (/\s/.test(given) || !URL.canParse(given)) throw refused;
  const url = new URL(given);
  // A `/`, `?` or `#` in the password ends the host, and the `@` after the password is then part of the path.
  const isCut = url.hostname === '' || url.hash !== '' || (url.pathname + url.search).includes('@');
  if (isCut || ![url.username, url.password, url.pathname].every(isEncoded)) throw refused;
  return url;
}

/** Returns a URL for each of the hosts between commas in a URL: `redis://u:p@a:1,b:2/0` becomes `redis://u:p@a:1/0` and `redis://u:p@b:2/0`. */
export function urlsOfHosts(given: string): string[] {
  const start = given.indexOf('://') + 3;
  const end = start + given.slice(start).search(/[/?#]|$/);
  const hosts = Math.max(start, given.lastIndexOf('@', end - 1) + 1);
  return given
    .slice(hosts, end)
    .split(',')
    .map((host) => `${given.slice(0, hosts)}${host}${given.slice(end)}`);
}

/**
 * Reads an SMTP_URL; its query has further options of the mail client.
 * @throws {RangeError} as {@link readServerUrl}, also for another kind of URL and for a path.
 */
export function readSmtpUrl(given: string): URL {
  const form = 'smtp://user:password@host:587';
  if (!/^smtps?:\/\/\S/.test(given)) throw new RangeError(`is not the URL of a mail server; expected ${form}`);
  const url = readServerUrl(given, form);
  // A slash in the password ends the host; the rest of the password is then the path.
  if (!/^\/?$/.test(url.pathname)) throw new RangeError(`has a path; expected ${form}. ${encoding}`);
  return url;
}

function isEncoded(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}
