/** Makes a file name from user text: characters with a meaning for file systems or shells become `_`. */
export function contentFileName(name: string): string {
  return name.replace(/[/\\:*?"<>|]/g, '_');
}
