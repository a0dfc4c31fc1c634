import type { Parameters, SqlParameter } from '../../../meta/transaction.js';

/** Conditions that hold together, with the values that they name. */
export class Conditions {
  private readonly parts: string[] = [];
  private readonly values: Record<string, SqlParameter> = {};

  get sql(): string {
    return this.parts.join(' AND ');
  }

  get parameters(): Parameters {
    return this.values;
  }

  /** @returns the name of a value, to write into a condition */
  bind(value: SqlParameter): string {
    const name = `value${Object.keys(this.values).length}`;
    this.values[name] = value;
    return `:${name}`;
  }

  add(condition: string): void {
    this.parts.push(condition);
  }

  equal(column: string, value: SqlParameter): void {
    this.compare(column, '=', value);
  }

  compare(column: string, operator: '=' | '<' | '<=' | '>' | '>=', value: SqlParameter): void {
    this.add(`${column} ${operator} ${this.bind(value)}`);
  }
}
