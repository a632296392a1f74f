import { type DeprecatedPart, deprecatedParts, hasPart } from '../../../shared/engine/schemas';
import { queryOf } from './queryOf';
import type { Route } from './Route';

/** Returns what of a request is to go, as the caller sent it: the operation itself (an empty path), parameters and fields. */
export type UsedParts = (query: object, body: unknown) => readonly DeprecatedPart[];

/** Returns what of an operation is to go. */
export function deprecationsOf(route: Route): { all: readonly DeprecatedPart[]; usedBy: UsedParts } {
  const whole = route.deprecated === undefined ? [] : [{ path: '', deprecation: route.deprecated }];
  const [parameters, fields] = [deprecatedParts(queryOf(route) ?? {}), deprecatedParts(route.body ?? {})];
  const usedBy: UsedParts = (query, body) => [
    ...whole,
    ...parameters.filter(({ path }) => hasPart(query, path)),
    ...fields.filter(({ path }) => hasPart(body, path)),
  ];
  return { all: [...whole, ...parameters, ...fields], usedBy };
}
