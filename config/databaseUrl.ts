import { isIP } from 'node:net';
import { readServerUrl } from './serverUrl';

/** How the connection to MySQL is protected, in the words of MySQL's own clients. */
const tlsModes = ['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'] as const;
type TlsMode = (typeof tlsModes)[number];

/** Options of the driver for TLS. The authorities are those of Node.js: its own list and NODE_EXTRA_CA_CERTS. */
export interface DatabaseTls {
  readonly rejectUnauthorized: boolean;
  readonly verifyIdentity: boolean;
}

export interface DatabaseAddress {
  /** `mysql://user:password@host:port/database`, with user and password encoded, without parameters. */
  readonly url: string;
  /** Absent: the connection is not encrypted. */
  readonly ssl?: DatabaseTls;
}

const URL_OF_MYSQL = /^(?:mysql|mariadb):\/\/\S/;
const form = 'mysql://user:password@host:3306/database, with TLS mysql://…/database?ssl-mode=VERIFY_IDENTITY';
const expected = `?ssl-mode= with one of ${tlsModes.join(', ')}`;

const tlsOf: Record<TlsMode, DatabaseTls | undefined> = {
  DISABLED: undefined,
  REQUIRED: { rejectUnauthorized: false, verifyIdentity: false },
  VERIFY_CA: { rejectUnauthorized: true, verifyIdentity: false },
  VERIFY_IDENTITY: { rejectUnauthorized: true, verifyIdentity: true },
};

/**
 * Reads a DATABASE_URL with its only parameter, `ssl-mode`.
 * @throws {RangeError} for another kind of URL, parameter or mode; the message names what is expected and nothing of the URL's secrets.
 */
export function readDatabaseUrl(databaseUrl: string): DatabaseAddress {
  if (!URL_OF_MYSQL.test(databaseUrl)) throw new RangeError(`is not the URL of a MySQL database; expected ${form}`);
  const url = readServerUrl(databaseUrl.replace(/^mariadb:/, 'mysql:'), form);
  const { searchParams: parameters, hostname } = url;
  if (!/^\/[^/]+$/.test(url.pathname)) throw new RangeError(`names no database in its path; expected ${form}`);
  const mode = (parameters.get('ssl-mode') ?? 'DISABLED').toUpperCase();
  const unknown = [...parameters.keys()].find((name) => name !== 'ssl-mode');
  if (unknown !== undefined) throw new RangeError(`has the parameter "${unknown}"; expected none but ${expected}`);
  if (!isTlsMode(mode)) throw new RangeError(`has an unknown ssl-mode; expected ${expected}`);
  if (mode === 'VERIFY_IDENTITY' && isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw new RangeError(
      'has an IP address, whose identity is not verified; expected a host name with VERIFY_IDENTITY',
    );
  }
  url.search = '';
  const ssl = tlsOf[mode];
  return { url: url.href, ...(ssl && { ssl }) };
}

function isTlsMode(mode: string): mode is TlsMode {
  return (tlsModes as readonly string[]).includes(mode);
}
