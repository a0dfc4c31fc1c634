import type { SqlParameter } from '../../../meta/transaction.js';
import { ConditionList } from '../../../spans/conditions.js';

export class Conditions extends ConditionList<SqlParameter> {
  protected toPlaceholder(name: string): string {
    return `:${name}`;
  }
}
