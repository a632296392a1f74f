import Ajv from 'ajv';

const ajv = new Ajv();

/** The properties of the body of `PUT /control` that all stand-ins have. `reset` drops the waiting faults first. */
const common = {
  times: { type: 'integer', minimum: 1, maximum: 1_000_000 },
  delayMs: { type: 'integer', minimum: 0, maximum: 600_000 },
  reset: { type: 'boolean' },
};

/** Returns a function that checks the body of `PUT /control`, and returns the body or its problem. */
export function controlReader<Control>(
  properties: Readonly<Record<string, object>>,
): (body: unknown) => { control: Control } | { problem: string } {
  const schema = { type: 'object', additionalProperties: false, properties: { ...common, ...properties } };
  const validate = ajv.compile<Control>(schema);
  return (body) =>
    validate(body) ? { control: body } : { problem: ajv.errorsText(validate.errors, { dataVar: 'body' }) };
}

/** Faults in the order in which they were added. Each happens `times` times. */
export class FaultQueue<Fault extends { times: number }> {
  private faults: Fault[] = [];

  get waiting(): readonly Fault[] {
    return this.faults;
  }

  add(fault: Fault): void {
    this.faults.push(fault);
  }

  reset(): void {
    this.faults = [];
  }

  /** Returns the first matching fault, or null, and counts it as used. */
  take(matches: (fault: Fault) => boolean): Fault | null {
    const fault = this.faults.find(matches);
    if (fault === undefined) return null;
    fault.times -= 1;
    this.faults = this.faults.filter(({ times }) => times > 0);
    return fault;
  }
}
