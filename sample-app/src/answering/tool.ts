import type { ToolDescription } from '../model/chat.js';

/** A tool of the agent. `run` validates the parsed arguments of the model. */
export interface Tool extends ToolDescription {
  run(args: unknown): Promise<unknown>;
}
