import { factsOfPatch, factsOfSpan, parseTimestamp, TraceFacts } from '@dacapo/protocol';
import type { IngestBatch } from '../../../span-store.js';
import type { Step } from '../connection.js';

/** A patch may come before any span of its trace. */
const PUT_TRACE = `INSERT INTO traces(account_id, trace_id, started_us) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;

/** As `outranks` compares facts. */
const PUT_SESSION = `UPDATE traces SET session_id = said.session, session_us = said.us
  FROM (SELECT ? AS account, ? AS trace, ? AS session, ? AS us) AS said
  WHERE account_id = said.account AND trace_id = said.trace
    AND (session_id IS NULL OR (said.us, said.session) > (session_us, session_id))`;

const PUT_ATTRIBUTE = `INSERT INTO trace_attributes(account_id, trace_id, kind, key, value, said_us)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT(account_id, trace_id, kind, key) DO UPDATE SET value = excluded.value, said_us = excluded.said_us
  WHERE (excluded.said_us, excluded.value) > (said_us, value)`;

/** The statements that store what the spans and patches of a batch say of their traces: one row for each fact that counts. */
export function traceFactSteps(accountId: string, { spans, traces, receivedAt }: IngestBatch): Step[] {
  const known = new Map<string, TraceFacts>();
  const factsOf = (traceId: string): TraceFacts => {
    let facts = known.get(traceId);
    if (facts === undefined) known.set(traceId, (facts = new TraceFacts()));
    return facts;
  };
  for (const span of spans) {
    const facts = factsOfSpan(span);
    if (facts.length > 0) factsOf(span.trace_id).add(facts);
  }
  for (const patch of traces) factsOf(patch.id).add(factsOfPatch(patch, receivedAt));

  const facts = [...known.values()].flatMap((one) => one.values());
  const receivedUs = parseTimestamp(receivedAt);
  return [
    { sql: PUT_TRACE, rows: traces.map(({ id }) => [accountId, id, receivedUs]) },
    {
      sql: PUT_SESSION,
      rows: facts
        .filter(({ kind }) => kind === 'session')
        .map(({ traceId, text, saidUs }) => [accountId, traceId, text, saidUs]),
    },
    {
      sql: PUT_ATTRIBUTE,
      rows: facts
        .filter(({ kind }) => kind !== 'session')
        .map(({ traceId, kind, key, text, saidUs }) => [accountId, traceId, kind, key, text, saidUs]),
    },
  ];
}
