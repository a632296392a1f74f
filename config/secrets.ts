import { urlsOfHosts } from './serverUrl';

/** Shorter texts are likely to be ordinary words. */
const SHORTEST = 8;

/**
 * Returns the parts of a secret variable that must not be shown. Of a URL: its passwords, as written and decoded. Of other text: the text,
 * its parts (`name=value` pairs between commas), and the text as the user of HTTP Basic authentication.
 */
export function secretParts(text: string): string[] {
  const [url = ''] = urlsOfHosts(text);
  const parts =
    /^[a-z+]+:\/\//.test(url) && URL.canParse(url)
      ? passwordsOf(new URL(url))
      : [text, ...text.split(/[\s,=]+/), basicUser(text)];
  return parts.filter((part) => part.length >= SHORTEST);
}

function passwordsOf({ password, searchParams }: URL): string[] {
  const ofSentinels = searchParams.getAll('sentinel-password').flatMap((plain) => [plain, encodeURIComponent(plain)]);
  try {
    return [password, decodeURIComponent(password), ...ofSentinels];
  } catch (error) {
    if (error instanceof URIError) return [password, ...ofSentinels];
    throw error;
  }
}

const basicUser = (text: string): string => Buffer.from(`${text}:`).toString('base64');
