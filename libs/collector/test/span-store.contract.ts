import type { SpanStore } from '../src/storage/span-store.js';
import { describeAssemblingTraces } from './span-store/assembling-traces.contract.js';
import { describeKeepingSpans } from './span-store/keeping-spans.contract.js';
import { describeListing } from './span-store/listing.contract.js';
import { describeListingDescendants } from './span-store/listing-descendants.contract.js';
import { describeSearchingCalls } from './span-store/searching-calls.contract.js';
import { describeTenants } from './span-store/tenants.contract.js';

/** What every driver of the port must do. `open` gives an empty store. */
export function describeSpanStore(driver: string, open: () => Promise<SpanStore>): void {
  describe(`SpanStore on ${driver}`, () => {
    let store: SpanStore;
    const opened = (): SpanStore => store;

    beforeAll(async () => {
      store = await open();
    });

    it('declares what it promises', () => {
      expect(store.capabilities).toEqual({
        atomicBatches: expect.any(Boolean),
        readsOwnWrites: expect.any(Boolean),
      });
    });

    describeKeepingSpans(opened);
    describeAssemblingTraces(opened);
    describeListing(opened);
    describeSearchingCalls(opened);
    describeListingDescendants(opened);
    describeTenants(opened);
  });
}
