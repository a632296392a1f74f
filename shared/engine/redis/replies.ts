/**
 * Returns the error reply of Redis, such as `READONLY You can't write against a read only replica.`; null for any other error.
 * The arguments that Redis quotes are removed: they may be secrets.
 */
export function replyOf(error: unknown): string | null {
  // ioredis does not export the type of its error class.
  if (!(error instanceof Error) || error.name !== 'ReplyError') return null;
  return error.message.split(', with args')[0] ?? '';
}

/** Returns the code of an error reply, its first word: `READONLY`, `OOM`, `NOPERM`. Null for any other error. */
export function replyCodeOf(error: unknown): string | null {
  return replyOf(error)?.split(' ')[0] ?? null;
}
