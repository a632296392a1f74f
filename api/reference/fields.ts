import { nameIn, type Schema } from './ReferenceDocument';

/** The description of a property of an object, or of a parameter. Text between backticks is code. */
export interface Field {
  name: string;
  type: string;
  isRequired: boolean;
  isDeprecated: boolean;
  description: string;
  /** Its limits, its default and an example. */
  facts: string[];
  /** Its own properties; empty if it has none, or if they are shown under its `object`. */
  fields: Field[];
  /** The name of the described object that it is or holds. */
  object: string | null;
}

type Schemas = Readonly<Record<string, Schema>>;

/** The maximum of integers without a limit of their own. */
const NO_BOUND = Number.MAX_SAFE_INTEGER;

/** Describes schemas of the document. With `expands`, properties of named objects are shown in place. */
export class Fields {
  constructor(
    private readonly schemas: Schemas,
    private readonly expands: boolean,
  ) {}

  /** Returns the properties that callers send or receive. */
  of(schema: Schema): Field[] {
    const { properties = {}, required = [] } = this.resolved(schema);
    return Object.entries(properties)
      .filter(([, property]) => property.readOnly !== true)
      .map(([name, property]) => this.field(name, property, required.includes(name)));
  }

  /** Returns the properties that a request may repeat from a response. They are ignored. */
  ignored(schema: Schema): string[] {
    const { properties = {} } = this.resolved(schema);
    return Object.keys(properties).filter((name) => properties[name]?.readOnly === true);
  }

  field(name: string, schema: Schema, isRequired: boolean): Field {
    const plain = this.resolved(schema);
    const inner = this.innermost(schema);
    const holder = this.resolved(inner);
    const object = inner.$ref !== undefined && holder.properties !== undefined ? nameIn(inner.$ref) : null;
    const isShownElsewhere = object !== null && !this.expands;
    return {
      name,
      type: this.type(schema),
      isRequired,
      isDeprecated: schema.deprecated === true || plain.deprecated === true,
      description: plain.description ?? '',
      facts: this.facts(schema),
      fields: isShownElsewhere ? [] : this.of(inner),
      object: isShownElsewhere ? object : null,
    };
  }

  /** Returns the schema, or the one that it refers to. */
  resolved(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (this.schemas[nameIn(schema.$ref)] ?? {});
  }

  /** Returns the schema of a list's items, or the part of a nullable schema that is not null. */
  private innermost(schema: Schema): Schema {
    const { items, anyOf, additionalProperties: further } = this.resolved(schema);
    const within =
      items ?? anyOf?.find(({ type }) => type !== 'null') ?? (typeof further === 'object' ? further : null);
    return within === null ? schema : this.innermost(within);
  }

  private type(schema: Schema): string {
    const plain = this.resolved(schema);
    if (schema.$ref !== undefined && plain.properties !== undefined && !this.expands) return nameIn(schema.$ref);
    const { type, format, items, anyOf, additionalProperties: further } = plain;
    if (anyOf !== undefined) return anyOf.map((branch) => this.type(branch)).join(' or ');
    if (items !== undefined) return `array of ${this.type(items)}`;
    const names = [type ?? (plain.const === undefined ? 'any' : typeof plain.const)].flat().join(' or ');
    if (typeof further === 'object') return `${names} of ${this.type(further)}`;
    return format === undefined ? names : `${names} (${format})`;
  }

  private facts(schema: Schema): string[] {
    const plain = this.resolved(schema);
    const inner = this.resolved(plain.items ?? plain.anyOf?.find(({ type }) => type !== 'null') ?? {});
    const values = plain.enum ?? inner.enum;
    return [
      ...(plain.const === undefined ? [] : [`always ${code(plain.const)}`]),
      ...(values === undefined ? [] : [`one of ${values.map(code).join(', ')}`]),
      ...range(plain.minimum, plain.maximum === NO_BOUND ? undefined : plain.maximum, ''),
      ...range(plain.minLength || undefined, plain.maxLength, ' characters'),
      ...range(plain.minItems || undefined, plain.maxItems, ' items'),
      ...(plain.uniqueItems === true ? ['each once'] : []),
      ...range(undefined, plain.maxProperties, ' keys'),
      ...(plain.pattern === undefined ? [] : [`matches ${code(plain.pattern)}`]),
      ...(plain.default === undefined ? [] : [`default ${code(plain.default)}`]),
      ...(plain.examples === undefined ? [] : [`for example ${plain.examples.map(code).join(', ')}`]),
    ];
  }
}

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

function range(from: number | undefined, to: number | undefined, unit: string): string[] {
  if (from === undefined && to === undefined) return [];
  if (to === undefined) return [`at least ${from}${unit}`];
  return [from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`];
}
