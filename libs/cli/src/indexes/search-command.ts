import { type Envelope, type GetContextData, type GetContextRequest, ROUTES } from '@dacapo/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliIo } from '../io.js';
import { counted } from '../output/table.js';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { findIndexId } from './find-index.js';

interface SearchOptions extends ConnectionOptions {
  readonly limit: number;
}

const EXCERPT_LENGTH = 400;

export function addSearchCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('search').argument('<index>', 'its name or its id').argument('<query...>'))
    .description('find what an application would be given for a query')
    .option('--limit <count>', 'results at most, 1 to 50', parseLimit, 5)
    .action(async (index: string, words: string[], options: SearchOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const index_id = await findIndexId(client, index);
      const request: GetContextRequest = { index_id, query: words.join(' '), limit: options.limit };
      const { data } = await client.post<Envelope<GetContextData>>(
        ROUTES.getContext,
        request,
        'data.results',
      );
      print(io, options, data, describe(data));
    });
}

function describe({ results, index_id }: GetContextData): string {
  const found = results.map(({ title, source, content }) => {
    const text = content.replace(/\s+/g, ' ').trim();
    return `${title} (${source})\n  ${text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text}\n`;
  });
  return [`${counted(results.length, 'result')} in ${index_id}`, ...found].join('\n');
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= 50) return limit;
  throw new InvalidArgumentError('It is a whole number from 1 to 50.');
}
