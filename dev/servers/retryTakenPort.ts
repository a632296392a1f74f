/**
 * A free port may be taken by another program before the server binds it: runs `start`, which picks a port itself, up to
 * five times while the server's log says that the address is in use.
 */
export async function retryTakenPort<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      const taken = error instanceof Error && /address already in use/i.test(error.message);
      if (!taken || attempt === 5) throw error;
    }
  }
}
