import {
  readPatchFacts,
  readSpanFacts,
  LIMITS,
  parseTimestamp,
  type TraceFact,
  TraceFacts,
} from '@dacapo/protocol';
import type { IngestBatch } from '../../../ports/span-store.js';
import type { Step } from '../connection.js';
import { LABEL_COLUMNS } from '../../../spans/rows.js';

/** Creates a trace, because a patch may arrive before any span. */
const PUT_TRACE = `INSERT INTO traces(account_id, trace_id, started_us) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;

/** The same comparison as `supersedes`. */
const PUT_LABELS = LABEL_COLUMNS.map(({ label, saidUs }) => ({
  label,
  sql: `UPDATE traces SET ${label} = said.text, ${saidUs} = said.us
    FROM (SELECT ? AS account, ? AS trace, ? AS text, ? AS us) AS said
    WHERE account_id = said.account AND trace_id = said.trace
      AND (${label} IS NULL OR (said.us, said.text) > (${saidUs}, ${label}))`,
}));

/** Adds tags of all records, like `firstTags`. */
const PUT_TAGS = `UPDATE traces SET tags_us = max(coalesce(tags_us, 0), ?4), tags = (
    SELECT json_group_array(value) FROM (
      SELECT value FROM json_each(coalesce(traces.tags, '[]')) UNION SELECT value FROM json_each(?3)
      ORDER BY value LIMIT ${LIMITS.tags}))
  WHERE account_id = ?1 AND trace_id = ?2`;

const PUT_ATTRIBUTE = `INSERT INTO trace_attributes(account_id, trace_id, kind, key, value, said_us)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT(account_id, trace_id, kind, key) DO UPDATE SET value = excluded.value, said_us = excluded.said_us
  WHERE (excluded.said_us, excluded.value) > (said_us, value)`;

/** Steps that store the facts of a batch about its traces: one row for each fact that counts. */
export function traceFactSteps(accountId: string, { spans, traces, receivedAt }: IngestBatch): Step[] {
  const known = new Map<string, TraceFacts>();
  const ensureFacts = (traceId: string): TraceFacts => {
    let facts = known.get(traceId);
    if (facts === undefined) known.set(traceId, (facts = new TraceFacts()));
    return facts;
  };
  for (const span of spans) {
    const facts = readSpanFacts(span);
    if (facts.length > 0) ensureFacts(span.trace_id).add(facts);
  }
  for (const patch of traces) ensureFacts(patch.id).add(readPatchFacts(patch, receivedAt));

  const facts = [...known.values()].flatMap((one) => one.values());
  const receivedUs = parseTimestamp(receivedAt);
  return [
    { sql: PUT_TRACE, rows: traces.map(({ id }) => [accountId, id, receivedUs]) },
    ...PUT_LABELS.map(({ label, sql }) => ({
      sql,
      rows: facts
        .filter(({ kind }) => kind === label)
        .map(({ traceId, text, saidUs }) => [accountId, traceId, text, saidUs]),
    })),
    {
      sql: PUT_TAGS,
      rows: [...tagsByTrace(facts)].map(([id, { tags, us }]) => [accountId, id, JSON.stringify(tags), us]),
    },
    {
      sql: PUT_ATTRIBUTE,
      rows: facts
        .filter(({ kind }) => kind === 'metadata' || kind === 'context')
        .map(({ traceId, kind, key, text, saidUs }) => [accountId, traceId, kind, key, text, saidUs]),
    },
  ];
}

function tagsByTrace(facts: readonly TraceFact[]): Map<string, { tags: string[]; us: number }> {
  const traces = new Map<string, { tags: string[]; us: number }>();
  for (const { traceId, kind, text, saidUs } of facts) {
    if (kind !== 'tag') continue;
    const { tags, us } = traces.get(traceId) ?? { tags: [], us: 0 };
    traces.set(traceId, { tags: [...tags, text], us: Math.max(us, saidUs) });
  }
  return traces;
}
