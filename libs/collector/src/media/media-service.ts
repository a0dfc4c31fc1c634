import { formatTimestamp, type MediaRecord, type Rejection } from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { ResolvedOptions } from '../options.js';
import type { MediaOutcome, ReceivedMedia, StoredMedia } from '../storage/meta/media.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { sha256 } from '../sha256.js';

/** A media record of an ingest body. */
export interface MediaLine {
  line: number;
  media: MediaRecord;
}

/** What became of the media records of one body. */
export interface ReceivedLines {
  accepted: number;
  /** Those of deleted traces. */
  dropped: number;
  rejected: Rejection[];
}

@Injectable()
export class MediaService {
  constructor(
    private readonly meta: MetaStore,
    private readonly options: ResolvedOptions,
    private readonly clock: Clock,
  ) {}

  /** Stores what has room; resolves after it is committed. Media whose bytes are not stored then are rejected. */
  async receive(accountId: string, lines: readonly MediaLine[]): Promise<ReceivedLines> {
    const received: ReceivedLines = { accepted: 0, dropped: 0, rejected: [] };
    const reject = ({ line, media: { id } }: MediaLine, problem: string): void => {
      received.rejected.push({ line, id, detail: `line ${line}: ${problem}` });
    };
    const valid: (MediaLine & { stored: ReceivedMedia })[] = [];
    for (const one of lines) {
      const stored = decode(one.media);
      if (typeof stored === 'string') reject(one, stored);
      else valid.push({ ...one, stored });
    }
    const { mediaBytes: limitBytes } = this.options;
    const results = await this.meta.media.put(
      accountId,
      valid.map(({ stored }) => stored),
      { limitBytes, receivedAt: formatTimestamp(this.clock.nowUs()) },
    );
    for (const [index, one] of valid.entries()) {
      const result = results[index] ?? 'unknown';
      if (result === 'stored') received.accepted++;
      else if (result === 'deleted') received.dropped++;
      else reject(one, PROBLEMS[result](limitBytes));
    }
    received.accepted += received.dropped;
    return received;
  }

  /** @throws NotFoundException which says why there are no bytes */
  async get(accountId: string, id: string): Promise<StoredMedia & { bytes: Uint8Array }> {
    const { bytes, ...media } = (await this.meta.media.find(accountId, id)) ?? {};
    if (bytes !== undefined && 'id' in media) return { ...media, bytes };
    throw new NotFoundException(
      'id' in media
        ? `The bytes of media ${id} were not stored: the account had reached its limit`
        : `Media ${id} not found: the bytes were deleted, or never arrived`,
    );
  }
}

const PROBLEMS: Record<Exclude<MediaOutcome, 'stored' | 'deleted'>, (limitBytes: number) => string> = {
  full: (limitBytes) =>
    `the account has reached its limit of ${limitBytes} bytes for media (option mediaBytes)`,
  unknown: () => 'the bytes of these media are no longer stored; the next record must include them',
};

/** A text says what is wrong. */
function decode({ id, trace_id: traceId, type, size, data }: MediaRecord): ReceivedMedia | string {
  if (data === undefined) return { id, traceId, type, size };
  const bytes = Buffer.from(data, 'base64');
  if (sha256(bytes) !== id) return 'media.id is not the SHA-256 of media.data';
  return { id, traceId, type, size: bytes.length, bytes };
}
