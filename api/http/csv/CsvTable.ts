import type { SchemaObject } from 'ajv';
import { ValidationFailed } from '../../../shared/engine/errors';
import { cellOf, type Cell } from './cells';

/** What a caller chooses: the columns with their order, and `rows` for a row of each element of the list that records have. */
export interface CsvQuery extends Readonly<Record<string, unknown>> {
  readonly columns?: string;
  readonly bom?: boolean;
}

interface Column {
  readonly name: string;
  /** Reads the cell from the record, or from an element of its list. */
  readonly cell: (of: object) => Cell;
  readonly ofElement: boolean;
}

/** The columns of a query, and the rows that they make of records. */
export interface CsvRows {
  readonly names: readonly string[];
  of(records: readonly object[]): Iterable<Cell[]>;
}

type Properties = readonly (readonly [string, SchemaObject])[];

/** The columns that the JSON of a record has: `total`, `client.name`, `items.description`. */
export class CsvTable {
  /** The list of objects that records have; null for records that are a row each. */
  readonly list: string | null = null;
  private readonly columns: Column[] = [];

  /** @param row the schema of a record in JSON */
  constructor(row: SchemaObject) {
    for (const [name, schema] of propertiesOf(row)) {
      const read = (of: object): unknown => (of as Record<string, unknown>)[name];
      if (schema.type === 'array' && isObject(schema.items as SchemaObject)) {
        this.list = name;
        this.columns.push(...columnsOf(`${name}.`, propertiesOf(schema.items as SchemaObject), (of) => of, true));
      } else if (isObject(schema)) {
        this.columns.push(...columnsOf(`${name}.`, propertiesOf(schema), read, false));
      } else this.columns.push(...columnsOf('', [[name, schema]], (of) => of, false));
    }
  }

  /** The parameters of a query that choose what the CSV has. They change nothing of a response in JSON. */
  get parameters(): Record<string, SchemaObject> {
    return {
      columns: {
        type: 'string',
        maxLength: 2_000,
        description: 'Of CSV: the columns in their order, with commas between. All without it.',
        examples: [this.known(false).slice(0, 3).join(',')],
      },
      bom: {
        type: 'boolean',
        default: false,
        description: 'Of CSV: begins with a byte order mark, which Excel needs.',
      },
      ...(this.list !== null && {
        [this.list]: { type: 'string', enum: ['rows'], description: `Of CSV: a row for each of the \`${this.list}\`.` },
      }),
    };
  }

  /** Returns the rows that a query chooses. @throws {ValidationFailed} for a column that is unknown or named twice. */
  choose(query: CsvQuery): CsvRows {
    const inRows = this.list !== null && query[this.list] === 'rows';
    const known = this.known(inRows);
    const names = query.columns === undefined ? known : query.columns.split(',').map((name) => name.trim());
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw ValidationFailed.at('columns', `has no column '${unknown}': the columns are ${known.join(', ')}`);
    }
    if (new Set(names).size < names.length) throw ValidationFailed.at('columns', 'names a column twice');
    const columns = names.map((name) => this.columns.find((column) => column.name === name) as Column);
    const { list } = this;
    return {
      names,
      of: (records) => (inRows ? rowsOfLists(records, columns, list as string) : rowsOf(records, columns)),
    };
  }

  private known(inRows: boolean): string[] {
    return this.columns.filter(({ ofElement }) => inRows || !ofElement).map(({ name }) => name);
  }
}

function* rowsOf(records: readonly object[], columns: readonly Column[]): Generator<Cell[]> {
  for (const record of records) yield columns.map(({ cell }) => cell(record));
}

function* rowsOfLists(records: readonly object[], columns: readonly Column[], list: string): Generator<Cell[]> {
  for (const record of records) {
    const repeated = columns.map(({ cell, ofElement }) => (ofElement ? null : cell(record)));
    for (const element of (record as Record<string, object[]>)[list] ?? []) {
      yield columns.map(({ cell, ofElement }, at) => (ofElement ? cell(element) : (repeated[at] as Cell)));
    }
  }
}

function columnsOf(
  prefix: string,
  properties: Properties,
  objectIn: (of: object) => unknown,
  ofElement: boolean,
): Column[] {
  return properties.map(([name, schema]) => {
    const toCell = cellOf(schema);
    const cell = (of: object): Cell => toCell((objectIn(of) as Record<string, unknown> | null)?.[name] ?? null);
    return { name: prefix + name, cell, ofElement };
  });
}

const propertiesOf = (schema: SchemaObject): Properties =>
  Object.entries((withoutNull(schema).properties ?? {}) as Record<string, SchemaObject>);

const isObject = (schema: SchemaObject): boolean => withoutNull(schema).properties !== undefined;

/** The schema of what is there: `orNull` makes a choice of a named schema and null. */
function withoutNull(schema: SchemaObject): SchemaObject {
  return (schema.anyOf as SchemaObject[] | undefined)?.find(({ type }) => type !== 'null') ?? schema;
}
