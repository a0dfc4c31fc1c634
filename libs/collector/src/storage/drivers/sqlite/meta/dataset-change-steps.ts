import { parseTimestamp } from '@dacapo/protocol';
import type { DatasetChange } from '../../../dataset-store.js';
import type { Step } from '../connection.js';

/** Where a change goes, and the mark of the items that wait for it. */
export interface ChangeTarget {
  accountId: string;
  datasetNo: number;
  staged: string;
}

/** The places of steps whose outcomes say what became of a change. */
export const CHANGED = { unchanged: [1, 2], undone: 8, version: 9 } as const;

/** The version that is being made: the latest row. */
const MADE = `(SELECT version, base FROM dataset_versions WHERE dataset_no = ?1 ORDER BY version DESC LIMIT 1)`;

const BASE = `(SELECT base FROM ${MADE})`;

const OF_BASE = `SELECT m.item_no FROM dataset_members m
  WHERE m.dataset_no = ?1 AND m.since <= ${BASE} AND m.until > ${BASE}`;

/** What the base has of an item that waits: by `condition`. */
const inBase = (condition: string): string => `SELECT w.item_no
  FROM dataset_items w CROSS JOIN dataset_items i ON i.dataset_no = w.dataset_no AND ${condition}
  WHERE w.staged = ?2 AND i.staged IS NULL AND EXISTS (
    SELECT 1 FROM dataset_members m WHERE m.dataset_no = ?1 AND m.item_no = i.item_no
      AND m.since <= ${BASE} AND m.until > ${BASE})`;

/** Items of the base that go on: neither removed, nor replaced by one that waits. */
const KEPT = `SELECT b.item_no FROM (${OF_BASE}) b JOIN dataset_items i USING (item_no)
  WHERE i.item_id NOT IN (SELECT value FROM json_each(?3))
    AND i.item_id NOT IN (SELECT item_id FROM dataset_items WHERE staged = ?2)`;

const OPEN = 9007199254740991;

/** The statements that make a version of what waits. They are one write: a version is there whole or not at all. */
export function changeSteps(
  { accountId, datasetNo, staged }: ChangeTarget,
  { base, remove, note, createdAt }: Omit<DatasetChange, 'add'>,
): Step[] {
  const [two, three] = [
    [datasetNo, staged],
    [datasetNo, staged, JSON.stringify(remove)],
  ];
  const made = `(SELECT version FROM ${MADE})`;
  return [
    {
      sql: `INSERT INTO dataset_versions(account_id, dataset_no, version, base, item_count, added, removed, note, created_us)
        SELECT ?1, d.dataset_no, coalesce(max(v.version), 0) + 1, coalesce(?3, max(v.version), 0), 0, 0, 0, ?4, ?5
        FROM datasets d LEFT JOIN dataset_versions v USING (dataset_no)
        WHERE d.account_id = ?1 AND d.dataset_no = ?2 GROUP BY d.dataset_no`,
      rows: [[accountId, datasetNo, base, note, parseTimestamp(createdAt)]],
      mustChange: true,
    },
    {
      sql: `DELETE FROM dataset_items WHERE item_no IN (${inBase('i.item_id = w.item_id AND i.hash = w.hash')})
        AND item_id NOT IN (SELECT value FROM json_each(?3))`,
      rows: [three],
    },
    {
      sql: `DELETE FROM dataset_items WHERE item_no IN (${inBase('i.source = w.source AND i.source IS NOT NULL')})`,
      rows: [two],
    },
    // Those of the latest version that this one does not have end here …
    {
      sql: `UPDATE dataset_members SET until = ${made}
        WHERE dataset_no = ?1 AND until = ${OPEN} AND item_no NOT IN (${KEPT})`,
      rows: [three],
    },
    // … those of an older base come back …
    {
      sql: `INSERT INTO dataset_members(account_id, dataset_no, item_no, since)
        SELECT ?4, ?1, k.item_no, ${made} FROM (${KEPT}) k
        WHERE k.item_no NOT IN (SELECT item_no FROM dataset_members WHERE dataset_no = ?1 AND until = ${OPEN})`,
      rows: [[...three, accountId]],
    },
    // … and those that waited begin.
    {
      sql: `INSERT INTO dataset_members(account_id, dataset_no, item_no, since)
        SELECT account_id, ?1, item_no, ${made} FROM dataset_items WHERE staged = ?2`,
      rows: [two],
    },
    {
      sql: `UPDATE dataset_versions SET (item_count, added, removed) = (
          SELECT now.items, waited.items, before.items + waited.items - now.items
          FROM (SELECT count(*) AS items FROM dataset_members WHERE dataset_no = ?1 AND until = ${OPEN}) now,
            (SELECT count(*) AS items FROM dataset_items WHERE staged = ?2) waited,
            (SELECT count(*) AS items FROM (${OF_BASE})) before)
        WHERE dataset_no = ?1 AND version = ${made}`,
      rows: [two],
    },
    {
      sql: `UPDATE dataset_items SET staged = NULL WHERE staged = ?`,
      rows: [[staged]],
    },
    // A version that has what the one before has is none.
    {
      sql: `DELETE FROM dataset_versions WHERE dataset_no = ?1 AND version = ${made}
        AND NOT EXISTS (SELECT 1 FROM dataset_members WHERE dataset_no = ?1 AND (since = ${made} OR until = ${made}))`,
      rows: [[datasetNo]],
    },
    {
      sql: `SELECT coalesce(v.version, 0) AS version, coalesce(v.base, 0) AS base, coalesce(v.item_count, 0) AS item_count,
          coalesce(v.added, 0) AS added, coalesce(v.removed, 0) AS removed, v.note, coalesce(v.created_us, d.created_us) AS created_us
        FROM datasets d LEFT JOIN dataset_versions v ON v.dataset_no = d.dataset_no
        WHERE d.dataset_no = ? ORDER BY v.version DESC LIMIT 1`,
      rows: [[datasetNo]],
    },
  ];
}
