/** Removes slashes at the end, so that paths can be appended: `https://a.example/` becomes `https://a.example`. */
export function trimEndSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
