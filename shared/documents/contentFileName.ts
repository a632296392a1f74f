/** A file name from text that people chose: what a file system or a shell takes for its own becomes `_`. */
export function contentFileName(name: string): string {
  return name.replace(/[/\\:*?"<>|]/g, '_');
}
