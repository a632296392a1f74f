import { jsonOf } from '../../installation/HttpClient';
import type { Attacker } from '../Attack';

/**
 * Creates a record of the attacker's company. @throws {Error} when it is refused, since the attack would prove nothing.
 */
export async function create(attacker: Attacker, path: string, body: unknown): Promise<{ id: number }> {
  const reply = await attacker.send({ path, method: 'POST', body });
  if (reply.status !== 201) throw new Error(`${path}: ${reply.status} ${reply.body.toString().slice(0, 200)}`);
  return jsonOf(reply);
}
