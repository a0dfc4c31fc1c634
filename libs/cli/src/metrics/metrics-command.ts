import { type MetricsAnswer, type MetricsItem, ROUTES } from '@dacapo/protocol';
import { type Command, Option } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { moment } from '../replay/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface MetricsWords extends ConnectionOptions {
  readonly since?: string;
  readonly until?: string;
  readonly bucket?: 'hour' | 'day';
  readonly key?: string;
  readonly traces?: true;
  readonly replays: 'exclude' | 'include' | 'only';
}

/** `dacapo metrics`: calls, errors, durations, tokens and cost, by key and time. */
export function addMetricsCommand(program: Command, io: CliIo): void {
  withConnection(program.command('metrics'))
    .description('calls, errors, durations, tokens and cost by key, of the last seven days')
    .option(
      '--since <time>',
      'calls that started in this hour or later: ISO 8601, or an age such as 30d',
      moment(Date.now),
    )
    .option('--until <time>', 'calls that started before', moment(Date.now))
    .addOption(new Option('--bucket <length>', 'a row for each').choices(['hour', 'day']))
    .option('--key <key>', 'calls of this key alone')
    .option('--traces', 'whole traces in place of calls')
    .addOption(
      new Option('--replays <which>', 'what test runs played')
        .choices(['exclude', 'include', 'only'])
        .default('exclude'),
    )
    .action((words: MetricsWords) => showMetrics(words, io));
}

async function showMetrics(words: MetricsWords, io: CliIo): Promise<void> {
  const { since, until, bucket, key, traces, replays } = words;
  const query = new URLSearchParams({
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(bucket !== undefined && { bucket }),
    ...(key !== undefined && { trace_function_key: key }),
    ...(traces && { of: 'traces' }),
    replays,
  });
  const client = new ServiceClient(resolveConnection(words, io.env));
  const answer = await client.get<MetricsAnswer>(`${ROUTES.metrics}?${query.toString()}`, 'items');
  print(io, words, answer, formatMetrics(answer, bucket !== undefined));
}

function formatMetrics(
  { items, since, until, waiting_batches: waiting }: MetricsAnswer,
  isByTime: boolean,
): string {
  const rows = items.map((item) => [
    ...(isByTime ? [item.at?.slice(0, 16) ?? ''] : []),
    item.trace_function_key ?? '(traces)',
    String(item.calls),
    String(item.errors),
    ...[item.p50_ms, item.p95_ms].map((ms) => (ms === undefined ? '-' : `${Number(ms.toPrecision(3))} ms`)),
    String(item.input_tokens),
    String(item.output_tokens),
    describeCost(item),
  ]);
  const head = [
    ...(isByTime ? ['TIME'] : []),
    'KEY',
    'CALLS',
    'ERRORS',
    'P50',
    'P95',
    'INPUT',
    'OUTPUT',
    'COST',
  ];
  return [
    items.length === 0 ? `No call from ${since} to ${until}.\n` : table([head, ...rows]),
    ...(waiting > 0 ? [`Batches not counted yet: ${waiting}.\n`] : []),
  ].join('');
}

function describeCost({ cost_usd: cost, unpriced_calls: unpriced }: MetricsItem): string {
  const sum = cost === undefined ? '-' : `$${Number(cost.toPrecision(4))}`;
  return unpriced === undefined ? sum : `${sum} (${unpriced} without a price)`;
}
