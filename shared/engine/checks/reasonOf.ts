import { replyOf } from '../redis';

const LONGEST = 400;
const DEEPEST = 5;

/** Returns the messages of an error and of its causes in one line, for operators. */
export function reasonOf(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error, depth = 0; at !== undefined && depth < DEEPEST; depth++) {
    const part = ownReason(at).replace(/\s+/g, ' ').trim();
    if (part !== '' && !parts.some((known) => known.includes(part))) parts.push(part);
    at = at instanceof Error ? at.cause : undefined;
  }
  const text = parts.join(': ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A failed connection to several addresses has only a code. */
function ownReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return replyOf(error) ?? (error.message || String((error as NodeJS.ErrnoException).code ?? error.name));
}
