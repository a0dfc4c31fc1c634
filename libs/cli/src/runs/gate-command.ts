import { describeDecision, readChecks, storedDecision } from '@dacapo/evaluation';
import type { DecisionRecord } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { GateFailedError } from '../errors.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { RunUndecidedError } from './errors.js';
import { findRunId } from './find-run.js';

/** `dacapo runs gate`: CI reads the latest decision on a run. */
export function addGateCommand(runs: Command, io: CliIo): void {
  withConnection(
    runs
      .command('gate')
      .argument('<run>', 'a test run: its id, its name, or the beginning of its id')
      .description('exit by the latest decision on a run: 0 passed, 5 failed, 1 not decided or no gate'),
  ).action((run: string, words: ConnectionOptions) => checkGate(run, words, io));
}

/** @throws GateFailedError, RunUndecidedError */
async function checkGate(word: string, words: ConnectionOptions, io: CliIo): Promise<void> {
  const service = new ServiceClient(resolveConnection(words, io.env));
  const id = await findRunId(service, word);
  const run = await service.api.testRuns.get({ id });
  const { items } = await service.api.decisions.list({ id, limit: 1 });
  const [latest] = items;
  const result = storedDecision(run);
  const isDecided = result === 'passed' || result === 'failed';
  // The run and the decision are read one after the other: both must pass.
  const passed = result === 'passed' && latest?.passed !== false;
  const checks = latest?.checks ?? readChecks(run.summary?.['checks']);
  const failures = checks.flatMap((check) => check.failures);
  const text = isDecided ? describeDecision({ passed, checks, failures }) : result;
  const lines = [
    `${id}: ${text}${isDecided ? `, decided by ${nameAuthor(latest)}` : ''}`,
    ...(isDecided && !passed ? failures.map((failure) => `  ${failure}`) : []),
    ...(latest !== undefined && latest.ignore.length > 0 ? [`  Ignored: ${latest.ignore.join(', ')}`] : []),
  ];
  print(io, words, { run: id, result, ...(latest && { decision: latest }) }, lines.join('\n'));
  if (!isDecided) throw new RunUndecidedError(result);
  if (!passed) throw new GateFailedError(text);
}

function nameAuthor(latest: DecisionRecord | undefined): string {
  if (latest === undefined) return 'the client';
  return `${latest.author.name} at ${latest.decided_at.slice(0, 19)}Z`;
}
