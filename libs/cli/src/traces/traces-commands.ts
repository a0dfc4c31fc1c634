import { TRACE_SORTS, type TraceDetail } from '@dacapo/protocol';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { readConditionWords, withConditionWords } from '../output/condition-words.js';
import { print } from '../output/print.js';
import { printable } from '../output/printable.js';
import { wholeNumber } from '../output/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { findTraceId } from './find-trace-id.js';
import { tailTraces } from './tail-traces.js';
import { formatMs, formatTraceLine, formatTraceTable, formatUsd } from './trace-table.js';
import { readTrace } from './read-trace.js';
import { formatTraceTree } from './trace-tree.js';

interface TracesWords extends ConnectionOptions {
  readonly where?: string;
}

interface ListWords extends TracesWords {
  readonly limit: number;
  readonly sort?: (typeof TRACE_SORTS)[number];
  readonly cursor?: string;
}

const LINE = `conditions, such as 'status:error model:gpt-5 cost>0.01 "late parcel"'`;

/** `dacapo traces …`: recorded traces. */
export function addTracesCommands(program: Command, io: CliIo): void {
  const traces = program.command('traces').description('recorded traces');
  const list = withConnection(traces.command('list').argument('[conditions...]', LINE))
    .description('list traces, newest first')
    .option('--limit <n>', 'number of traces, 1 to 200', wholeNumber(1, 200), 20)
    .addOption(
      new Option('--sort <by>', 'order: newest, oldest or largest first (time)').choices(TRACE_SORTS),
    )
    .option('--cursor <cursor>', 'the cursor that the previous page printed');
  withConditionWords(list, 'lists').action((line: string[], words: ListWords) => listTraces(line, words, io));
  withConnection(traces.command('show').argument('<trace>', 'the id of the trace, or its beginning'))
    .description('show the calls of a trace as a tree')
    .action((trace: string, words: ConnectionOptions) => showTrace(trace, words, io));
  const tail = withConnection(traces.command('tail').argument('[conditions...]', LINE)).description(
    'print traces as they end, until Ctrl+C',
  );
  withConditionWords(tail, 'lists').action((line: string[], words: TracesWords) =>
    followTraces(line, words, io),
  );
}

/** @throws UsageError for an invalid line, or one given twice */
function readLine(line: readonly string[], words: TracesWords): ReturnType<typeof readConditionWords> {
  if (line.length === 0) return readConditionWords(words, 'lists');
  if (words.where !== undefined)
    throw new UsageError('Pass conditions as arguments or with --where, not both.');
  return readConditionWords({ ...words, where: line.join(' ') }, 'lists');
}

async function listTraces(line: readonly string[], words: ListWords, io: CliIo): Promise<void> {
  const { limit, sort, cursor } = words;
  const client = new ServiceClient(resolveConnection(words, io.env));
  const page = await client.api.traces.list({ ...readLine(line, words), sort, limit, cursor });
  const more = page.next_cursor === undefined ? '' : `There may be more: --cursor ${page.next_cursor}\n`;
  const text = page.items.length === 0 ? 'No trace matches.\n' : formatTraceTable(page.items);
  print(io, words, page, text + more);
}

async function showTrace(word: string, words: ConnectionOptions, io: CliIo): Promise<void> {
  const client = new ServiceClient(resolveConnection(words, io.env));
  const id = await findTraceId(client, word);
  const trace = await readTrace(client, id);
  print(io, words, trace, `${describeTrace(trace)}\n\n${formatTraceTree(trace.spans, chooseDim(io))}`);
}

function describeTrace(trace: TraceDetail): string {
  const { id, name, status, started_at, duration_ms, tokens, cost_usd, session_id, user_id, tags } = trace;
  const facts = [
    status,
    started_at,
    formatMs(duration_ms),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(cost_usd === undefined ? [] : [formatUsd(cost_usd)]),
    ...(session_id === undefined ? [] : [`session ${session_id}`]),
    ...(user_id === undefined ? [] : [`user ${user_id}`]),
    ...(tags ?? []),
  ];
  return printable(`${name}  ${id}`) + `\n${printable(facts.join(' · '))}`;
}

function chooseDim({ stdout, env }: CliIo): (text: string) => string {
  const isColored = (stdout.isTTY === true || Boolean(env.FORCE_COLOR)) && !env.NO_COLOR;
  return (text) => (isColored ? `\u001b[2m${text}\u001b[22m` : text);
}

async function followTraces(line: readonly string[], words: TracesWords, io: CliIo): Promise<void> {
  const conditions = readLine(line, words);
  const client = new ServiceClient(resolveConnection(words, io.env));
  if (!words.json) io.stderr.write('Waiting for traces. Press Ctrl+C to stop.\n');
  await tailTraces(client, conditions, io.untilStopped(), (trace) => {
    io.stdout.write(words.json ? `${JSON.stringify(trace)}\n` : formatTraceLine(trace));
  });
}
