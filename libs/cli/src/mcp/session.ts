import type { AgentTool } from '@dacapo/protocol';
import { CONFIG_FILE, checkUnchanged, type ProjectConfig } from '../project-config/project-config.js';
import { resolveInside } from '../project-config/inside-folder.js';
import {
  type ProjectReplayRequest,
  type ProjectReplayResult,
  runProjectReplay,
} from '../project-config/run-project-replay.js';
import type { Connection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { ToolRefusedError } from './errors.js';
import { toVisible } from './visible-text.js';

/** Longer parts of an address are refused. */
const LONGEST_SUBJECT = 100;

export interface SessionParts {
  readonly connection: Connection;
  /** Absolute. Tools write below it, and nowhere else. */
  readonly folder: string;
  /** Absent: the project had none when the server started. */
  readonly config: ProjectConfig | undefined;
  /** The path of this command's program. */
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What all tools of one server share. */
export class Session {
  readonly service: ServiceClient;
  private running: Promise<unknown> | undefined;
  private costsUsd = 0;

  constructor(readonly parts: SessionParts) {
    this.service = new ServiceClient(parts.connection);
  }

  /** US$ that live model calls have cost since the server started. */
  get spentUsd(): number {
    return this.costsUsd;
  }

  /** The configuration as it was when the server started. @throws ToolRefusedError, ProjectConfigChangedError */
  config(): ProjectConfig {
    const { config } = this.parts;
    if (config === undefined)
      throw new ToolRefusedError(
        `The project had no ${CONFIG_FILE} when this server started. Ask the person who owns the project to write it and to start the server again.`,
      );
    checkUnchanged(config);
    return config;
  }

  /** Resolves a path of a file that a tool writes. @throws ToolRefusedError when it leaves the project */
  fileInside(path: string): string {
    const file = resolveInside(this.parts.folder, path);
    if (file !== undefined) return file;
    throw new ToolRefusedError(
      'The path leaves the folder of the project. Name one inside, without links that lead out.',
    );
  }

  /** Notes the use of a tool in the audit log of the service. */
  async note(tool: AgentTool, subject: string): Promise<void> {
    const characters = Array.from(toVisible(subject));
    while (encodeURIComponent(characters.join('')).length > LONGEST_SUBJECT) characters.pop();
    await this.service.api.audit.useTool({ tool, subject: characters.join('') });
  }

  /** Resolves when no replay runs. */
  async idle(): Promise<void> {
    await this.running?.catch(() => undefined);
  }

  /** Runs one replay at a time. @throws ToolRefusedError, and what `runProjectReplay` throws */
  async replay(request: ProjectReplayRequest, signal: AbortSignal): Promise<ProjectReplayResult> {
    const config = this.config();
    if (this.running !== undefined)
      throw new ToolRefusedError('Another replay is running. Wait for its answer.');
    const { connection, program, folder, env } = this.parts;
    const maxUsd = Math.max(0, (config.replay?.maxUsd ?? 0) - this.costsUsd);
    const isPaid = (config.replay?.live.length ?? 0) > 0;
    // If the costs stay unknown, the budget counts as spent.
    let spentUsd = isPaid ? maxUsd : 0;
    try {
      const place = { connection, program, folder, env, signal };
      const replay = runProjectReplay(config, { ...request, maxUsd }, place);
      this.running = replay;
      const result = await replay;
      if (result.run !== undefined) spentUsd = result.run.usage.costUsd?.total ?? 0;
      return result;
    } finally {
      this.costsUsd += spentUsd;
      this.running = undefined;
    }
  }
}
