import type { ToolDescription } from '../model/chat.js';

/** Something the agent can do by itself. `run` gets what the model wrote, parsed, and checks it. */
export interface Tool extends ToolDescription {
  run(args: unknown): Promise<unknown>;
}
