/** Returns the values in a random order that is the same on every run. */
export function shuffled<T>(values: readonly T[]): T[] {
  // A linear congruential generator; constants of Numerical Recipes.
  let state = 1;
  const keyed = values.map((value) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { value, key: state };
  });
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
