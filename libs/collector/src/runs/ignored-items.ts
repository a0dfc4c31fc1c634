import {
  InvalidArgumentError,
  judgeStored,
  readCandidateOutcome,
  readBaselineOutcome,
} from '@dacapo/evaluation';
import type { TestRunItemRecord } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../cursor.js';
import { Turns } from '../memory/turns.js';
import type { ItemState } from '../storage/ports/test-run.js';
import { sha256 } from '../sha256.js';
import { itemKey } from './stored-item.js';
import { TestRunItemService } from './test-run-item-service.js';

const READ_AT_ONCE = 100;

/** Finds the items of a finished run that differ from their baselines only at ignored paths. */
@Injectable()
export class IgnoredItems {
  constructor(
    private readonly items: TestRunItemService,
    private readonly turns: Turns,
  ) {}

  /** @param paths valid paths in outputs */
  async find(accountId: string, runId: string, paths: readonly string[]): Promise<ItemState[]> {
    if (paths.length === 0) return [];
    const found: ItemState[] = [];
    // Errors and equal outcomes do not depend on paths in outputs.
    for (const verdict of ['changed', 'unknown'] as const) {
      let page: PageRequest | undefined = { limit: READ_AT_ONCE };
      while (page !== undefined) {
        await this.turns.next(accountId);
        const { items, next_cursor: cursor }: Awaited<ReturnType<TestRunItemService['listRecords']>> =
          await this.items.listRecords(accountId, runId, { verdict }, page);
        found.push(...items.filter((item) => differsOnlyAt(item, paths)).map(toIgnored));
        page = cursor === undefined ? undefined : { limit: READ_AT_ONCE, cursor };
      }
    }
    return found;
  }
}

/**
 * Compares the stored outcomes again. Both outputs must be stored: a missing one would seem `undefined`. The client's own comparison
 * stays.
 */
function differsOnlyAt(item: TestRunItemRecord, paths: readonly string[]): boolean {
  const { erased, error, original_error: originalError, original_status: status, compared_by: by } = item;
  if (erased || error || originalError || status !== undefined || by?.same) return false;
  if (item.original_output === undefined || item.result === undefined) return false;
  try {
    const { verdict } = judgeStored(readBaselineOutcome(item), readCandidateOutcome(item), {
      sha256,
      ignore: [...(by?.ignore ?? []), ...paths],
      isExpectation: item.baseline === 'expected',
    });
    return verdict === 'same';
  } catch (invalid) {
    // The client's own paths are stored unchecked.
    if (invalid instanceof InvalidArgumentError) return false;
    throw invalid;
  }
}

function toIgnored(item: TestRunItemRecord): ItemState {
  const { divergences = [], divergence_count: count = divergences.length } = item;
  return {
    item: itemKey(item),
    verdict: item.verdict,
    flags: {
      fixed: item.fixed ?? false,
      failing_as_before: item.failing_as_before ?? false,
      new_error: item.new_error ?? false,
      accepted: item.accepted ?? false,
      diverged: count > 0,
    },
    isErased: false,
    ...(item.judgement !== undefined && { judgement: item.judgement }),
    isIgnored: true,
  };
}
