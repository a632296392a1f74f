/** The text without the slashes at its end, for what paths are put behind: `https://a.example/` is `https://a.example`. */
export function trimEndSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
