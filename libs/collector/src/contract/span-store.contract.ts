import { describeAssemblingTraces } from './span-store/assembling-traces.contract.js';
import { describeDeleting } from './span-store/deleting.contract.js';
import { describeKeepingSpans } from './span-store/keeping-spans.contract.js';
import { describeFilteringByScores } from './span-store/filtering-by-scores.contract.js';
import { describeListing } from './span-store/listing.contract.js';
import { describeListingFacets } from './span-store/listing-facets.contract.js';
import { describeFindingMatches } from './span-store/finding-matches.contract.js';
import { describeListingDescendants } from './span-store/listing-descendants.contract.js';
import { describeMetrics } from './span-store/metrics.contract.js';
import { describeSearchingCalls } from './span-store/searching-calls.contract.js';
import { describeSearchingTexts } from './span-store/searching-texts.contract.js';
import { describeSelectingCalls } from './span-store/selecting-calls.contract.js';
import type { OpenedSpanStore } from './span-store/span-store-account.js';
import { describeTenants } from './span-store/tenants.contract.js';

/** What every driver of the port must do, alone and under the services that read it. */
export function describeSpanStore(driver: string, open: () => Promise<OpenedSpanStore>): void {
  describe(`SpanStore on ${driver}`, () => {
    let driverOpened: OpenedSpanStore;
    const opened = (): OpenedSpanStore => driverOpened;

    beforeAll(async () => {
      driverOpened = await open();
    });

    it('declares its capabilities', () => {
      expect(driverOpened.spans.capabilities).toEqual({
        readsOwnWrites: expect.any(Boolean),
        atomicBatches: expect.any(Boolean),
        mergesLateRecords: expect.any(Boolean),
        hasOneProcess: expect.any(Boolean),
        erasesBytes: expect.any(Boolean),
      });
    });

    describeKeepingSpans(opened);
    describeAssemblingTraces(opened);
    describeListing(opened);
    describeListingFacets(opened);
    describeFindingMatches(opened);
    describeSearchingCalls(opened);
    describeSearchingTexts(opened);
    describeSelectingCalls(opened);
    describeListingDescendants(opened);
    describeMetrics(opened);
    describeFilteringByScores(opened);
    describeTenants(opened);
    describeDeleting(opened);
  });
}
