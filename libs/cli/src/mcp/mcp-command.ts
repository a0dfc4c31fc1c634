import { type Command, Option } from 'commander';
import type { CliIo } from '../io.js';
import { wholeNumber } from '../output/read-words.js';
import { CONFIG_FILE, findProjectConfig } from '../project-config/project-config.js';
import { type ConnectionOptions, resolveConnection } from '../service/connection.js';
import { createServer } from './create-server.js';
import { Session } from './session.js';

interface McpWords extends ConnectionOptions {
  readonly http?: number;
}

const HELP = `
Tools: find_calls, get_trace_tree, get_span, explain_error, replay_calls, diff_item, compare_runs,
save_cassette, status. What may be replayed is in ${CONFIG_FILE} in the working directory.
Without --http, the agent starts this command and talks to it over stdin and stdout. With --http, the key is
DACAPO_MCP_KEY, or a new one that the command prints.`;

/** `dacapo mcp`: a server of the Model Context Protocol for coding agents. */
export function addMcpCommand(program: Command, io: CliIo): void {
  program
    .command('mcp')
    .description('let a coding agent find, replay and save recorded calls (Model Context Protocol)')
    .addOption(new Option('--url <url>', "the service's address (TRACER_SERVICE_URL)"))
    .addOption(new Option('--api-key <key>', 'the API key, with the scope replay (TRACER_API_KEY)'))
    .option(
      '--http <port>',
      'listen on this port of the loopback address; 0 chooses one',
      wholeNumber(0, 65_535),
    )
    .addHelpText('after', HELP)
    .action((words: McpWords) => serveMcp(words, io));
}

/** @throws ProjectConfigError, ApiKeyMissingError, UsageError */
async function serveMcp(words: McpWords, io: CliIo): Promise<void> {
  const [, program = ''] = process.argv;
  const session = new Session({
    connection: resolveConnection(words, io.env),
    folder: process.cwd(),
    config: findProjectConfig(),
    program,
    env: process.env,
  });
  const sdk = await import('@modelcontextprotocol/server');
  const gone = new AbortController();
  void io.untilStopped().then(() => {
    gone.abort();
  });
  if (words.http !== undefined) {
    const { serveHttp } = await import('./serve-http.js');
    const handler = sdk.createMcpHandler(({ requestInfo }) =>
      createServer(
        sdk,
        session,
        AbortSignal.any([gone.signal, ...(requestInfo ? [requestInfo.signal] : [])]),
      ),
    );
    const server = await serveHttp(handler, { port: words.http, key: io.env.DACAPO_MCP_KEY, io });
    await untilAborted(gone.signal);
    await handler.close();
    await server.close();
    return;
  }
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  process.stdin.once('end', () => {
    gone.abort();
  });
  process.stdin.once('close', () => {
    gone.abort();
  });
  const handle = serveStdio(() => createServer(sdk, session, gone.signal));
  await untilAborted(gone.signal);
  await handle.close();
  await session.idle();
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}
