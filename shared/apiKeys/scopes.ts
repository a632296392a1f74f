import { Type, type TUnsafe } from '@sinclair/typebox';
import { oneOf } from '../engine/schemas';

export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** The schema of a list of scopes. */
export const scopeList: TUnsafe<Scope[]> = Type.Unsafe({
  type: 'array',
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  items: oneOf('Scope', scopes),
});

/** `write` includes `read`, `admin` both. */
export function includesScope(granted: readonly Scope[], needed: Scope): boolean {
  return granted.some((scope) => scopes.indexOf(scope) >= scopes.indexOf(needed));
}
