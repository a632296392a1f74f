/** Ends what globalSetup started. An interrupted run is cleaned up by the servers' watchdog instead. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.schemaTemplate?.drop();
  await globalThis.throwAwayServers?.stop();
}
