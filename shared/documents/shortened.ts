/** Returns a text of at most `limit` characters; a longer one ends with an ellipsis. */
export function shortened(text: string, limit: number): string {
  const characters = Array.from(text);
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
}
