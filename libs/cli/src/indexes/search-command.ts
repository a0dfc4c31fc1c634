import { CONTEXT_EXPANSIONS, type ContextExpansion, type GetContextData, LIMITS } from '@dacapo/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliIo } from '../io.js';
import { counted } from '../output/table.js';
import { print } from '../output/print.js';
import { printable } from '../output/printable.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { findIndexId } from './find-index.js';

interface SearchOptions extends ConnectionOptions {
  readonly limit?: number;
  readonly maxTokens?: number;
  readonly expand?: ContextExpansion;
  readonly language?: string;
  readonly also?: readonly string[];
}

const EXCERPT_LINES = 12;
const LINE_WIDTH = 160;

export function addSearchCommand(indexes: Command, io: CliIo): void {
  withConnection(
    indexes
      .command('search')
      .argument('<index>', 'its name or its id')
      .argument('<query...>', 'the words to search for'),
  )
    .description('search an index as an application does')
    .option('--limit <count>', 'maximum number of results, 1 to 50 (default: 5)', parseLimit)
    .option('--max-tokens <count>', 'approximate maximum size of all results in tokens', parseTokens)
    .addOption(
      new Option('--expand <what>', 'also return the sections around each result, or its page').choices(
        CONTEXT_EXPANSIONS,
      ),
    )
    .option('--language <name>', 'skip documents that have code only in other languages')
    .option('--also <index...>', 'another index to search; repeat for more')
    .action(async (index: string, words: string[], options: SearchOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const [index_id = '', ...others] = await Promise.all(
        [index, ...(options.also ?? [])].map((one) => findIndexId(client, one)),
      );
      const { limit, maxTokens: max_tokens, expand, language } = options;
      const { data } = await client.api.developer.getContext({
        ...(others.length === 0 ? { index_id } : { index_ids: [index_id, ...others] }),
        query: words.join(' '),
        limit,
        max_tokens,
        expand,
        language,
      });
      print(io, options, data, describe(data));
    });
}

function describe({ results, index_id, notes = [] }: GetContextData): string {
  const found = results.map(({ title, source, line, content }) => {
    const place = line === undefined ? source : `${source}:${line}`;
    return `${printable(`${title} (${place})`)}\n${excerpt(content)}\n`;
  });
  const where = index_id === undefined ? '' : ` in ${index_id}`;
  return [`${counted(results.length, 'result')}${where}`, ...notes, ...found].join('\n');
}

/** The first lines of a text, as they are: code and tables need their line ends. */
function excerpt(content: string): string {
  const lines = content
    .replace(/^(?:[ \t]*\r?\n)+/, '')
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => printable(line.replaceAll('\t', '  ')));
  const shown = lines
    .slice(0, EXCERPT_LINES)
    .map((line) => `  ${line.length > LINE_WIDTH ? `${line.slice(0, LINE_WIDTH)}…` : line}`.trimEnd());
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`  … ${counted(left, 'more line')}`] : [])].join('\n');
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= 50) return limit;
  throw new InvalidArgumentError('Pass a whole number from 1 to 50.');
}

function parseTokens(text: string): number {
  const tokens = Number(text);
  if (/^\d+$/.test(text) && tokens >= 1 && tokens <= LIMITS.contextTokens) return tokens;
  throw new InvalidArgumentError(`Pass a whole number from 1 to ${LIMITS.contextTokens}.`);
}
