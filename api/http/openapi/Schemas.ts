import { isDeepStrictEqual } from 'node:util';
import type { SchemaObject } from 'ajv';
import {
  type DecimalBounds,
  decimalRules,
  type Deprecation,
  deprecationSentence,
  formatMessage,
  standardFormat,
} from '../../../shared/engine/schemas';

/** A schema may differ by direction: requests may allow more than responses show. */
type Direction = 'request' | 'response';

/**
 * Converts schemas for the OpenAPI document. Formats and keywords that only this service defines become sentences of the
 * description. A schema with a title becomes a component of that name.
 */
export class Schemas {
  private readonly sources = new Map<string, SchemaObject>();
  private readonly shown = new Map<string, object>();

  /** By name, in alphabetical order. */
  get components(): Record<string, object> {
    return Object.fromEntries([...this.shown].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @throws {Error} when two schemas have the same title, which is a bug. */
  show(schema: SchemaObject, direction: Direction): object {
    const { title, ...rest } = schema as SchemaObject & { title?: string };
    if (title === undefined) return this.plain(rest, direction);
    // A field is deprecated, not the schema that it shares with others.
    const { deprecation, ...named } = schema as PlainSchema;
    if (deprecation)
      return { ...this.show(named, direction), deprecated: true, description: deprecationSentence(deprecation) };
    const known = this.sources.get(title);
    if (known === undefined) {
      this.sources.set(title, schema);
      this.shown.set(title, this.plain(rest, direction));
    } else if (!isDeepStrictEqual(known, schema)) throw new Error(`two schemas have the title ${title}`);
    return { $ref: `#/components/schemas/${title}` };
  }

  private plain(schema: SchemaObject, direction: Direction): object {
    const {
      format,
      decimal: _,
      maxLines: __,
      description,
      deprecation,
      properties,
      items,
      anyOf,
      additionalProperties: further,
      ...rest
    } = schema as PlainSchema;
    const standard = format === undefined ? null : standardFormat(format, direction);
    const rules = direction === 'request' ? rulesOf(schema, standard) : [];
    const sentences = [
      ...(description === undefined ? [] : [description]),
      ...rules.map(sentence),
      ...(deprecation ? [deprecationSentence(deprecation)] : []),
    ];
    return {
      ...rest,
      ...(deprecation && { deprecated: true }),
      ...(standard !== null && { format: standard }),
      ...(sentences.length > 0 && { description: sentences.join(' ') }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [name, this.show(property, direction)]),
        ),
      }),
      ...(further !== undefined && {
        additionalProperties: typeof further === 'object' ? this.show(further, direction) : further,
      }),
      ...(items && { items: this.show(items, direction) }),
      ...(anyOf && { anyOf: anyOf.map((branch) => this.show(branch, direction)) }),
    };
  }
}

interface PlainSchema extends SchemaObject {
  format?: string;
  decimal?: DecimalBounds;
  maxLines?: number;
  description?: string;
  deprecation?: Deprecation;
  properties?: Record<string, SchemaObject>;
  additionalProperties?: boolean | SchemaObject;
  items?: SchemaObject;
  anyOf?: SchemaObject[];
}

/** Returns the rules of our own formats and keywords, in the words of the validation errors. */
function rulesOf({ format, decimal, maxLines }: PlainSchema, standard: string | null): string[] {
  return [
    ...(format !== undefined && standard === null ? [formatMessage(format)] : []),
    ...(decimal === undefined ? [] : decimalRules(decimal)),
    ...(maxLines === undefined ? [] : [`must have at most ${maxLines} lines`]),
  ];
}

/** Turns `must be …` into `Must be ….` */
function sentence(rule: string): string {
  return `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.`;
}
