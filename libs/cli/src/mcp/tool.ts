import type { AgentTool } from '@dacapo/protocol';
import type { Answer } from './answer.js';
import type { Session } from './session.js';

/** JSON Schema of one argument. */
export interface ArgumentSchema {
  readonly type: 'string' | 'integer' | 'array';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: ArgumentSchema;
  readonly maxItems?: number;
}

/** What coding agents can do. */
export interface Tool<Input> {
  readonly name: AgentTool;
  readonly description: string;
  readonly input: Readonly<Record<keyof Input & string, ArgumentSchema>>;
  readonly required: readonly (keyof Input & string)[];
  /** Whether it runs code or writes files. It is then refused when the audit log cannot note it. */
  readonly acts: boolean;
  /** What it is used on, for the audit log. */
  subject(input: Input): string | undefined;
  run(input: Input, session: Session, signal: AbortSignal): Promise<Answer>;
}

const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

export const KEY: ArgumentSchema = { type: 'string', maxLength: 200, description: 'trace function key' };
export const TRACE_ID: ArgumentSchema = { type: 'string', pattern: UUID };
export const RUN_ID: ArgumentSchema = { type: 'string', pattern: UUID };
export const SPAN_ID: ArgumentSchema = { type: 'string', pattern: '^[0-9a-f]{16}$' };

export const count = (maximum: number, description?: string): ArgumentSchema => ({
  type: 'integer',
  minimum: 0,
  maximum,
  ...(description !== undefined && { description }),
});
