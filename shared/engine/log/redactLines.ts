const REDACTED = '[Redacted]';

/** Fields whose text is never logged, at any depth of a logged object. The first group is what comes before the text. */
const fields = /("(?:authorization|password|secret|secretKey|token|email|recipient)":")(?:[^"\\]|\\.)+/g;

/** Secrets that are recognised by their form: API keys, webhook secrets, and the credentials of an HTTP header. */
const forms = /(?:inv|whsec)_[\w+/=-]{16,}|(?:Bearer|Basic) [\w+/=.-]{8,}/g;

/** A backslash and what it escapes; or an e-mail address, of which the first group is the domain. */
const addresses = /\\.|[^\s"<>()[\]{},;:=/\\@]{1,64}@([^\s"'<>()[\]{},;:=/\\@]{1,190}\.[\p{L}\d-]{1,63})/gu;

/**
 * Returns a function that removes secrets from a line of JSON: the given texts, texts with the form of a secret, the values of fields that
 * are named like a secret, and e-mail addresses except their domain (`…@example.com`). A server's reply may quote any of them. (Pino's own
 * `redact` knows fields alone, and takes several times as long for those below the first level.)
 */
export function redactLines(secrets: readonly string[]): (line: string) => string {
  // Texts stand in the line as JSON escapes them. The longest comes first: it may contain another.
  const texts = [...new Set(secrets)]
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  return (line) => {
    let redacted = line.replace(fields, `$1${REDACTED}`).replace(forms, REDACTED);
    for (const text of texts) if (redacted.includes(text)) redacted = redacted.replaceAll(text, REDACTED);
    return redacted.includes('@') ? redacted.replace(addresses, withoutName) : redacted;
  };
}

function withoutName(match: string, domain: string | undefined): string {
  return domain === undefined ? match : `…@${domain}`;
}
