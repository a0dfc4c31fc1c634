/** Conditions, joined with AND, and their parameters. */
export abstract class ConditionList<Value> {
  protected readonly parts: string[] = [];

  constructor(protected readonly values: Record<string, Value> = {}) {}

  get sql(): string {
    return this.parts.join(' AND ');
  }

  get parameters(): Readonly<Record<string, Value>> {
    return this.values;
  }

  /** @returns a placeholder with the value's name, for use in a condition */
  bind(value: Value): string {
    const name = `value${Object.keys(this.values).length}`;
    this.values[name] = value;
    return this.toPlaceholder(name, value);
  }

  add(condition: string): void {
    this.parts.push(condition);
  }

  equal(column: string, value: Value): void {
    this.compare(column, '=', value);
  }

  compare(column: string, operator: '=' | '<' | '<=' | '>' | '>=', value: Value): void {
    this.add(`${column} ${operator} ${this.bind(value)}`);
  }

  protected abstract toPlaceholder(name: string, value: Value): string;
}
