import { type MediaReference, parseTimestamp } from '@dacapo/protocol';
import type { Range } from '../ports/range.js';
import type { Dialect } from './dialect.js';
import type { MetaTransaction } from './transaction.js';

/** Bytes of an image, a sound or a file that a trace refers to. */
export interface ReceivedMedia extends MediaReference {
  traceId: string;
  /** Absent if the service should already have them. */
  bytes?: Uint8Array;
}

/**
 * - `stored`: the bytes are stored, now or earlier
 * - `full`: the account has no room for the bytes. Type and size are stored. The bytes follow if they are sent again and there is room
 * - `unknown`: they were not sent, and are not stored
 * - `deleted`: the trace was deleted
 */
export type MediaOutcome = 'stored' | 'full' | 'unknown' | 'deleted';

export interface StoredMedia extends MediaReference {
  /** Absent if the account had no room for them. */
  bytes?: Uint8Array;
}

export interface MediaToPut {
  /** Maximum size of all media of the account. */
  limitBytes: number;
  receivedAt: string;
}

/** A trace that refers to media. */
export interface MediaUse {
  accountId: string;
  traceId: string;
}

const OF_MEDIA = 'account_id = :accountId AND media_id = :id';
const AT_ONCE = 1000;

/** Whether an item of a dataset refers to media. Also the condition of a partial index. */
export function hasMedia({ contains }: Dialect, item: string): string {
  return contains(item, `'"media":{"id":"'`);
}

/** Whether no trace and no item of a dataset refers to it. */
const isUnused = (dialect: Dialect): string => `NOT EXISTS (SELECT 1 FROM media_uses u
    WHERE u.account_id = media.account_id AND u.media_id = media.media_id)
  AND NOT EXISTS (SELECT 1 FROM dataset_items d WHERE d.account_id = media.account_id
    AND ${hasMedia(dialect, 'd.item')} AND ${dialect.contains('d.item', 'media.media_id')})`;

interface MediaRow {
  type: string;
  size: number;
  bytes: ArrayBuffer | null;
}

/**
 * Media of recorded values, stored once for each account, as long as a trace or an item of a dataset refers to them. Methods with an
 * account are limited to it.
 */
export class Media {
  static readonly writes = ['put', 'release', 'removeUnused'] as const;

  constructor(private readonly db: MetaTransaction) {}

  async put(
    accountId: string,
    media: readonly ReceivedMedia[],
    { limitBytes, receivedAt }: MediaToPut,
  ): Promise<MediaOutcome[]> {
    let room: number | undefined;
    const outcomes: MediaOutcome[] = [];
    for (const { id, type, size, bytes, traceId } of media) {
      if (await this.isDeleted(accountId, traceId)) {
        outcomes.push('deleted');
        continue;
      }
      let isStored = await this.isStored(accountId, id);
      if (isStored !== true && bytes !== undefined) {
        room ??= limitBytes - (await this.storedBytes(accountId));
        const hasRoom = size <= room;
        await this.db.insert(
          'media',
          { account_id: accountId, media_id: id, type, size, bytes: hasRoom ? bytes : undefined },
          'ON CONFLICT(account_id, media_id) DO UPDATE SET bytes = excluded.bytes',
        );
        if (hasRoom) room -= size;
        isStored = hasRoom;
      }
      if (isStored !== undefined)
        await this.db.insert(
          'media_uses',
          {
            account_id: accountId,
            media_id: id,
            trace_id: traceId,
            received_us: parseTimestamp(receivedAt),
          },
          'ON CONFLICT DO NOTHING',
        );
      outcomes.push(isStored === undefined ? 'unknown' : isStored ? 'stored' : 'full');
    }
    return outcomes;
  }

  async find(accountId: string, id: string): Promise<StoredMedia | undefined> {
    const sql = `SELECT type, size, bytes FROM media WHERE ${OF_MEDIA}`;
    const row = await this.db.get<MediaRow>(sql, { accountId, id });
    if (row === undefined) return undefined;
    const { type, size, bytes } = row;
    return { id, type, size, ...(bytes !== null && { bytes: new Uint8Array(bytes) }) };
  }

  /** The media that these traces refer to, without bytes and in any order. */
  list(accountId: string, traceIds: readonly string[]): Promise<(MediaReference & { traceId: string })[]> {
    const { texts, join } = this.db.dialect;
    return this.db.all(
      `SELECT m.media_id AS id, m.type, m.size, u.trace_id AS "traceId" FROM ${texts(':traceIds')} w
        ${join} media_uses u ON u.account_id = :accountId AND u.trace_id = w.value
        ${join} media m ON m.account_id = :accountId AND m.media_id = u.media_id`,
      { accountId, traceIds: JSON.stringify(traceIds) },
    );
  }

  /** Removes the references of deleted traces, and media that nothing else refers to. */
  async release(accountId: string, traceIds: readonly string[]): Promise<void> {
    const used = await this.list(accountId, traceIds);
    const these = { accountId, traceIds: JSON.stringify(traceIds) };
    const { texts } = this.db.dialect;
    await this.db.run(
      `DELETE FROM media_uses WHERE account_id = :accountId
        AND trace_id IN (SELECT value FROM ${texts(':traceIds')})`,
      these,
    );
    await this.removeUnused(accountId, [...new Set(used.map(({ id }) => id))]);
  }

  /** Removes the unused ones among these media. */
  async removeUnused(accountId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids)
      await this.db.run(`DELETE FROM media WHERE ${OF_MEDIA} AND ${isUnused(this.db.dialect)}`, {
        accountId,
        id,
      });
  }

  /** References of all accounts that were stored before a time, in an order that the store chooses. */
  async listUses(before: string, { limit, after }: Range<MediaUse>): Promise<MediaUse[]> {
    return this.db.all(
      `SELECT DISTINCT account_id AS "accountId", trace_id AS "traceId" FROM media_uses
        WHERE received_us < :before AND (account_id, trace_id) > (:accountId, :traceId)
        ORDER BY account_id, trace_id LIMIT :limit`,
      {
        before: parseTimestamp(before),
        accountId: after?.accountId ?? '',
        traceId: after?.traceId ?? '',
        limit,
      },
    );
  }

  /** Some unused media of all accounts. */
  async listUnused(): Promise<{ accountId: string; id: string }[]> {
    return this.db.all(
      `SELECT account_id AS "accountId", media_id AS id FROM media WHERE ${isUnused(this.db.dialect)} LIMIT ${AT_ONCE}`,
    );
  }

  private async storedBytes(accountId: string): Promise<number> {
    const sql =
      'SELECT coalesce(sum(size), 0) AS bytes FROM media WHERE account_id = :accountId AND bytes IS NOT NULL';
    return (await this.db.get<{ bytes: number }>(sql, { accountId }))?.bytes ?? 0;
  }

  private async isDeleted(accountId: string, traceId: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM deleted_traces WHERE account_id = :accountId AND trace_id = :traceId';
    return (await this.db.get(sql, { accountId, traceId })) !== undefined;
  }

  /** @returns whether its bytes are stored; `undefined` if it is unknown */
  private async isStored(accountId: string, id: string): Promise<boolean | undefined> {
    const sql = `SELECT CASE WHEN bytes IS NULL THEN 0 ELSE 1 END AS stored FROM media WHERE ${OF_MEDIA}`;
    const row = await this.db.get<{ stored: number }>(sql, { accountId, id });
    return row && row.stored === 1;
  }
}
