import type { QueryParameters } from './connection.js';

type QueryValue = QueryParameters[string];

/** Conditions that hold together, with the values that they name. */
export class Conditions {
  private readonly parts: string[] = [];
  private readonly values: Record<string, QueryValue>;

  constructor(accountId: string) {
    this.values = { accountId };
  }

  get sql(): string {
    return this.parts.length === 0 ? '1' : this.parts.join(' AND ');
  }

  get parameters(): QueryParameters {
    return this.values;
  }

  /** @returns the name of a value with its type, to write into a condition */
  bind(value: QueryValue): string {
    const name = `value${Object.keys(this.values).length}`;
    this.values[name] = value;
    return `{${name}:${findType(value)}}`;
  }

  add(condition: string): void {
    this.parts.push(condition);
  }

  equal(column: string, value: QueryValue): void {
    this.compare(column, '=', value);
  }

  compare(column: string, operator: '=' | '<' | '<=' | '>' | '>=', value: QueryValue): void {
    this.add(`${column} ${operator} ${this.bind(value)}`);
  }
}

function findType(value: QueryValue): string {
  if (typeof value === 'string') return 'String';
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'Int64' : 'Float64';
  return 'Array(String)';
}
