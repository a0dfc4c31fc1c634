import { ConditionList } from '../../spans/conditions.js';
import type { QueryParameters } from './connection.js';

type QueryValue = QueryParameters[string];

export class Conditions extends ConditionList<QueryValue> {
  constructor(accountId: string) {
    super({ accountId });
  }

  override get sql(): string {
    return this.parts.length === 0 ? '1' : super.sql;
  }

  protected toPlaceholder(name: string, value: QueryValue): string {
    return `{${name}:${findType(value)}}`;
  }
}

function findType(value: QueryValue): string {
  if (typeof value === 'string') return 'String';
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'Int64' : 'Float64';
  return typeof value[0] === 'number' ? 'Array(Int64)' : 'Array(String)';
}
