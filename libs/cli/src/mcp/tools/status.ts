import { CONFIG_FILE } from '../../project-config/project-config.js';
import { findStaleBuild } from '../../project-config/find-stale-build.js';
import { VERSION } from '../../version.js';
import { errorCode } from '../../errors.js';
import { Answer, plain } from '../answer.js';
import type { Session } from '../session.js';
import type { Tool } from '../tool.js';

const MOST_KEYS = 50;

/** What the server may do, and whether the service and the build are ready. */
export const status: Tool<object> = {
  name: 'status',
  description:
    'Show what may be replayed, what is live, the budget left, recorded keys, and whether the build is stale.',
  input: {},
  required: [],
  acts: false,
  subject: () => undefined,
  async run(_, session) {
    const answer = new Answer().say(`dacapo ${VERSION}. ${describeConfig(session)}`);
    try {
      const { items } = await session.service.api.traces.listKeys();
      answer.say(
        `The service answers. It has ${items.length} trace function keys${items.length > 0 ? ':' : '.'}`,
      );
      const lines = items
        .slice(0, MOST_KEYS)
        .map((one) => `${one.trace_function_key}  ${one.span_count} spans`);
      if (lines.length > 0) answer.quote(lines.join('\n'), 4_000);
    } catch (error) {
      answer.say(
        `The service does not answer (${plain(errorCode(error) ?? 'unknown')}). Ask a person to check address and key.`,
      );
    }
    return answer;
  },
};

function describeConfig(session: Session): string {
  try {
    const config = session.config();
    const { replay } = config;
    if (replay === undefined) return `${CONFIG_FILE} has no "replay", so nothing can be replayed.`;
    const stale = findStaleBuild(config);
    const budget = `US$ ${Math.max(0, replay.maxUsd - session.spentUsd)} of ${replay.maxUsd} left`;
    return (
      `${CONFIG_FILE} ${config.hash.slice(0, 12)}: module ${replay.module}, keys ${replay.keys.join(', ')}. ` +
      `Live: ${replay.live.length === 0 ? 'nothing' : `${replay.live.join(', ')} (${budget})`}. ` +
      (stale === undefined
        ? 'The build is not older than its sources.'
        : `STALE BUILD: ${stale.source} is newer than ${stale.module}. Build first.`)
    );
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
