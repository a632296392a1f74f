import { AppError } from '../../shared/engine/errors';
import type { AnyJobContract } from '../../shared/engine/jobs';
import { plainAjv } from '../../shared/engine/schemas';

/** 502: another version of the program has recorded the job, with a payload that this version does not understand. */
export class InvalidPayload extends AppError {
  constructor(name: string, problem: string) {
    super(
      'invalid_payload',
      `this version does not understand the payload of ${name}, which another version has recorded: ${problem}`,
      { status: 502 },
    );
  }
}

/**
 * Returns the payload of a job as its contract describes it.
 * @throws {InvalidPayload}
 */
export function readPayload({ name, payload: schema }: AnyJobContract, text: string): unknown {
  const payload = parseJson(text);
  if (!plainAjv.validate(schema, payload)) throw new InvalidPayload(name, plainAjv.errorsText());
  return payload;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
