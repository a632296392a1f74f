/** Shorter texts are likely to be ordinary words. */
const SHORTEST = 8;

/**
 * Returns what must not be shown of the text of a secret variable: of a URL its password, as written and decoded; of anything else
 * the text, its parts (`name=value` pairs between commas), and the text as the user of HTTP's Basic authentication.
 */
export function secretParts(text: string): string[] {
  const parts =
    /^[a-z]+:\/\//.test(text) && URL.canParse(text)
      ? passwordOf(new URL(text))
      : [text, ...text.split(/[\s,=]+/), basicUser(text)];
  return parts.filter((part) => part.length >= SHORTEST);
}

function passwordOf({ password }: URL): string[] {
  try {
    return [password, decodeURIComponent(password)];
  } catch (error) {
    if (error instanceof URIError) return [password];
    throw error;
  }
}

const basicUser = (text: string): string => Buffer.from(`${text}:`).toString('base64');
