/** A local server in place of a provider's. */
interface StandIn {
  close(): Promise<void>;
}

/**
 * Runs a stand-in as a process of its own: starts it, announces `{"ready":true,…}` with its ports as a line on stdout
 * and to a parent process, and closes it on SIGTERM or when the parent has ended. Ignores SIGINT under a parent, which
 * handles Ctrl-C. Exits with 1 when it cannot start.
 */
export function runStandIn<T extends StandIn>(
  start: () => Promise<T>,
  ports: (server: T) => Record<string, number>,
): void {
  const hasParent = process.send !== undefined;
  let stopping = false;

  const stop = async (server: T) => {
    if (stopping) return;
    stopping = true;
    await server.close();
    process.exit(0);
  };
  const fail = (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  };

  start()
    .then((server) => {
      const stopOrFail = () => void stop(server).catch(fail);
      process.on('SIGTERM', stopOrFail);
      process.on('SIGINT', hasParent ? () => undefined : stopOrFail);
      process.on('disconnect', stopOrFail);
      const ready = { ready: true, ...ports(server) };
      process.stdout.write(`${JSON.stringify(ready)}\n`);
      process.send?.(ready);
    })
    .catch(fail);
}
