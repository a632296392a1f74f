/** Makes one of the configured times shorter, until the mocks are restored. */
export function shorten<Name extends string>(times: Readonly<Record<Name, number>>, name: Name, ms: number): void {
  jest.replaceProperty(times, name, ms);
}
