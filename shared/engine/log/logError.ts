/** The logged fields of an error. All other fields may hold names, addresses or tokens. */
const loggedFields = ['code', 'status', 'retryable', 'reason', 'errno', 'sqlState', 'syscall', 'address', 'port'];

/** The longest text of a statement that is logged, in characters. */
const LONGEST_SQL = 1_000;
const DEEPEST_CAUSE = 5;

/**
 * Returns an error as it is logged: type, message, stack, codes and cause; of an error of MySQL also its statement, both
 * without the values.
 */
export function loggedError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const fields = error as Error & Record<string, unknown>;
  const driver = fields['original'] instanceof Error ? (fields['original'] as typeof fields) : fields;
  const isOfMysql = typeof driver['sqlState'] === 'string' || typeof fields['sql'] === 'string';
  const message = isOfMysql ? withoutQuoted(error.message) : error.message;
  const logged: Record<string, unknown> = { type: error.name, message, stack: stackWith(error, message) };
  for (const name of loggedFields) {
    const value = fields[name] ?? driver[name];
    if (value !== undefined) logged[name] = value;
  }
  const sql = fields['sql'] ?? driver['sql'];
  if (typeof sql === 'string') logged['sql'] = withoutValues(sql);
  if (error.cause !== undefined && depth < DEEPEST_CAUSE) logged['cause'] = loggedError(error.cause, depth + 1);
  return logged;
}

/** `Duplicate entry 'a@example.com' for key 'clients.email'`: MySQL quotes values without escaping them. The key is no value. */
function withoutQuoted(message: string): string {
  const key = /(?: for key '[\w.`]+')?$/.exec(message)?.[0] ?? '';
  return message.slice(0, message.length - key.length).replace(/'.*'/s, "'…'") + key;
}

/** The text of a statement, with `?` for strings and numbers. */
function withoutValues(sql: string): string {
  const text = sql.replace(/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"/gs, '?').replace(/\b\d[\d.]*\b/g, '?');
  // A remaining quote begins a value without an end.
  return text.replace(/['"].*/s, '?').slice(0, LONGEST_SQL);
}

/** A stack begins with the message. */
function stackWith({ stack, name }: Error, message: string): string | undefined {
  const frames = stack?.indexOf('\n    at ') ?? -1;
  return `${name}: ${message}${frames < 0 ? '' : stack?.slice(frames)}`;
}
