import { Type } from '@sinclair/typebox';
import { orNull } from '../schemas';

/** The fields of the `data` of events about a new status. */
export const enteredFields = {
  from: Type.Unsafe<string | null>(
    orNull({ type: 'string', description: 'The status before; null where the record was created with the new one.' }),
  ),
};

/** Returns the sentence of a timeline about a new status: `The status changed from draft to sent`. */
export function statusSummary(status: string): (data: { from?: string | null }) => string {
  return ({ from }) =>
    from === undefined || from === null
      ? `The status is ${status} from the beginning`
      : `The status changed from ${from} to ${status}`;
}
