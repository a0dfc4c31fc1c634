import type { ToolDescription } from '../model/chat.js';

/** Something the agent can do without a person. `run` receives the parsed arguments of the model and validates them. */
export interface Tool extends ToolDescription {
  run(args: unknown): Promise<unknown>;
}
