import type { SchemaObject } from 'ajv';
import { type FieldProblem, MAX_PROBLEMS } from '../errors';
import { counted } from './messages';

/** The deepest nesting of ignored fields, and the most values in them together. */
const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;

/** A caller's own words in a message: enough to recognise them by. */
const SHOWN_CHARACTERS = 100;

/**
 * Returns the problems of length, number and depth in a JSON value (at most {@link MAX_PROBLEMS}), by `maxLength`, `maxLines`, `maxItems`
 * and `additionalProperties` of its schema. It reads no element of a list and no character of a text that is too long, so the work is
 * bounded by the schema, not by the caller. Types and contents are not checked here: that is for ajv, which with `allErrors` reads
 * everything, and so may only see a value without such problems.
 */
export function lengthProblems(schema: SchemaObject, value: unknown): readonly FieldProblem[] {
  const measuring = new Measuring();
  measuring.value(schema, value, '');
  return measuring.result;
}

/** The message for a field that the schema does not have. */
export function unknownField(parent: string, name: string): FieldProblem {
  return { path: inside(parent, shortened(name)), message: 'is not a known field' };
}

const inside = (path: string, name: string | number): string => (path === '' ? String(name) : `${path}/${name}`);

/** Returns a caller's text as a message shows it, shortened. */
export function shortened(name: string): string {
  return name.length <= SHOWN_CHARACTERS ? name : `${name.slice(0, SHOWN_CHARACTERS)}…`;
}

/** The checked keywords. */
interface Lengths extends SchemaObject {
  maxLength?: number;
  maxLines?: number;
  maxItems?: number;
  maxProperties?: number;
  items?: SchemaObject;
  properties?: Record<string, SchemaObject>;
  additionalProperties?: boolean | SchemaObject;
}

class Measuring {
  private readonly problems: FieldProblem[] = [];
  /** A few unknown fields are reported with other problems. Above {@link MAX_PROBLEMS}, nothing else is checked. */
  private readonly unknown: FieldProblem[] = [];
  private ignoredValues = 0;

  get result(): readonly FieldProblem[] {
    return this.unknown.length > MAX_PROBLEMS ? this.unknown : this.problems;
  }

  private get isOver(): boolean {
    return this.problems.length >= MAX_PROBLEMS || this.unknown.length > MAX_PROBLEMS;
  }

  value(schema: SchemaObject, value: unknown, path: string): void {
    if (this.isOver) return;
    if (schema.readOnly === true) this.ignored(value, path);
    else if (typeof value === 'string') this.text(schema, value, path);
    else if (Array.isArray(value)) this.list(schema, value, path);
    else if (typeof value === 'object' && value !== null) this.fields(schema, value, path);
  }

  private text({ maxLength, maxLines }: Lengths, text: string, path: string): void {
    if (isLongerThan(text, maxLength)) this.report(path, `must have at most ${counted(maxLength, 'character')}`);
    else if (maxLines !== undefined && linesOf(text) > maxLines)
      this.report(path, `must have at most ${counted(maxLines, 'line')}`);
  }

  private list({ maxItems = Infinity, items }: Lengths, list: readonly unknown[], path: string): void {
    if (list.length > maxItems) this.report(path, `must have at most ${counted(maxItems, 'element')}`);
    else if (items !== undefined) list.forEach((item, index) => this.value(items, item, inside(path, index)));
  }

  private fields(
    { properties = {}, additionalProperties, maxProperties }: Lengths,
    fields: object,
    path: string,
  ): void {
    if (maxProperties !== undefined && Object.keys(fields).length > maxProperties) {
      return this.report(path, `must have at most ${counted(maxProperties, 'field')}`);
    }
    for (const name in fields) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema !== undefined) this.value(schema, (fields as Record<string, unknown>)[name], inside(path, name));
      else if (additionalProperties === false) this.unknown.push(unknownField(path, name));
      else if (typeof additionalProperties === 'object')
        this.value(additionalProperties, (fields as Record<string, unknown>)[name], inside(path, shortened(name)));
      if (this.isOver) return;
    }
  }

  /** Any value is accepted, but it is read, compared and hashed, so its size is bounded. */
  private ignored(value: unknown, path: string, depth = 1): void {
    this.ignoredValues += 1;
    if (this.ignoredValues > MAX_VALUES) return this.report(path, `holds more than ${MAX_VALUES} values`);
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH) return this.report(path, `must not be nested deeper than ${MAX_DEPTH} levels`);
    for (const inner of Object.values(value)) {
      this.ignored(inner, path, depth + 1);
      if (this.problems.length > 0) return;
    }
  }

  private report(path: string, message: string): void {
    this.problems.push({ path, message });
  }
}

/** In characters, as JSON Schema counts them: an emoji is one. */
function isLongerThan(text: string, maxLength = Infinity): boolean {
  if (text.length > 2 * maxLength) return true;
  return text.length > maxLength && [...text].length > maxLength;
}

function linesOf(text: string): number {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).length;
}
