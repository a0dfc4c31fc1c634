import {
  isSpanGroup,
  METRICS_GROUPS,
  type MetricsAnswer,
  type MetricsGroup,
  type MetricsItem,
} from '@dacapo/protocol';
import { type Command, Option } from 'commander';
import type { CliIo } from '../io.js';
import { readConditionWords, withConditions } from '../output/condition-words.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { moment } from '../output/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface MetricsWords extends ConnectionOptions {
  readonly bucket?: 'hour' | 'day';
  readonly traces?: true;
  readonly groupBy?: MetricsGroup;
  readonly replays: 'exclude' | 'include' | 'only';
}

/** `dacapo metrics`: calls, errors, durations, tokens and cost, by key and time. */
export function addMetricsCommand(program: Command, io: CliIo): void {
  const command = withConnection(program.command('metrics'))
    .description('show calls, errors, durations, tokens and cost by key for the last seven days')
    .option(
      '--since <time>',
      'calls since the start of this hour: ISO 8601, or an age such as 30d',
      moment(Date.now),
    )
    .option('--until <time>', 'calls that started before this time', moment(Date.now))
    .addOption(new Option('--bucket <length>', 'one row for each hour or day').choices(['hour', 'day']))
    .option('--key <key>', 'only calls with this key')
    .option('--traces', 'whole traces instead of calls')
    .addOption(
      new Option(
        '--group-by <field>',
        'one row for each value, of traces that started in the period',
      ).choices(METRICS_GROUPS),
    )
    .addOption(
      new Option('--replays <which>', 'whether calls of test runs count')
        .choices(['exclude', 'include', 'only'])
        .default('exclude'),
    )
    .action((words: MetricsWords) => showMetrics(words, io));
  withConditions(command, 'lists', METRICS_GROUPS);
}

async function showMetrics(words: MetricsWords, io: CliIo): Promise<void> {
  const { bucket, traces, groupBy, replays } = words;
  const client = new ServiceClient(resolveConnection(words, io.env));
  const answer = await client.api.metrics.read({
    ...readConditionWords(words, 'lists'),
    bucket,
    replays,
    of: traces && 'traces',
    group_by: groupBy,
  });
  print(io, words, answer, formatMetrics(answer, bucket !== undefined, groupBy));
}

function formatMetrics(
  { items, since, until, waiting_batches: waiting, more_groups: more = 0 }: MetricsAnswer,
  isByTime: boolean,
  groupBy: MetricsGroup | undefined,
): string {
  const rows = items.map((item) => [
    ...(isByTime ? [item.at?.slice(0, 16) ?? ''] : []),
    ...(groupBy === undefined ? [] : [item.group ?? '(none)']),
    item.trace_function_key ?? (isSpanGroup(groupBy) ? '(spans)' : '(traces)'),
    String(item.calls),
    String(item.errors),
    ...[item.p50_ms, item.p95_ms].map((ms) => (ms === undefined ? '-' : `${Number(ms.toPrecision(3))} ms`)),
    String(item.input_tokens),
    String(item.output_tokens),
    describeCost(item),
  ]);
  const head = [
    ...(isByTime ? ['TIME'] : []),
    ...(groupBy === undefined ? [] : [groupBy.toUpperCase()]),
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
    items.length === 0 ? `No calls from ${since} to ${until}.\n` : table([head, ...rows]),
    ...(more > 0 ? [`${more} groups with fewer calls are not shown.\n`] : []),
    ...(waiting > 0 ? [`Batches not counted yet: ${waiting}.\n`] : []),
  ].join('');
}

function describeCost({ cost_usd: cost, unpriced_calls: unpriced }: MetricsItem): string {
  const sum = cost === undefined ? '-' : `$${Number(cost.toPrecision(4))}`;
  return unpriced === undefined ? sum : `${sum} (${unpriced} without a price)`;
}
