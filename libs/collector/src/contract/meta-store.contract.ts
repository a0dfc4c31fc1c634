import type { MetaStore } from '../storage/meta/meta-store.js';
import { describeAcceptedOutcomes } from './meta-store/accepted-outcomes.contract.js';
import { describeAccounts } from './meta-store/accounts.contract.js';
import { describeApiKeys } from './meta-store/api-keys.contract.js';
import { describeArrivals } from './meta-store/arrivals.contract.js';
import { describeAudit } from './meta-store/audit.contract.js';
import { describeCopies } from './meta-store/copies.contract.js';
import { describeDatasets } from './meta-store/datasets.contract.js';
import { describeDecisions } from './meta-store/decisions.contract.js';
import { describeDeletions } from './meta-store/deletions.contract.js';
import { describeForwards } from './meta-store/forwards.contract.js';
import { describeFunctions } from './meta-store/functions.contract.js';
import { describeIndexes } from './meta-store/indexes.contract.js';
import { describeMedia } from './meta-store/media.contract.js';
import { describeMembers } from './meta-store/members.contract.js';
import { describeRetention } from './meta-store/retention.contract.js';
import { describeScores } from './meta-store/scores.contract.js';
import { describeShareLinks } from './meta-store/share-links.contract.js';
import { describeSignIns } from './meta-store/sign-ins.contract.js';
import { describeSkippedSpans } from './meta-store/skipped-spans.contract.js';
import { describeTestRuns } from './meta-store/test-runs.contract.js';

/** What every driver of the port must do. `open` gives an empty store. */
export function describeMetaStore(driver: string, open: () => Promise<MetaStore>): void {
  describe(`MetaStore on ${driver}`, () => {
    let store: MetaStore;
    const opened = (): MetaStore => store;

    beforeAll(async () => {
      store = await open();
    });

    it('answers queries', async () => {
      await store.ping();
    });

    describeAccounts(opened);
    describeApiKeys(opened);
    describeSignIns(opened);
    describeMembers(opened);
    describeShareLinks(opened);
    describeTestRuns(opened);
    describeAcceptedOutcomes(opened);
    describeDecisions(opened);
    describeDatasets(opened);
    describeIndexes(opened);
    describeFunctions(opened);
    describeAudit(opened);
    describeDeletions(opened);
    describeCopies(opened);
    describeRetention(opened);
    describeScores(opened);
    describeArrivals(opened);
    describeMedia(opened);
    describeForwards(opened);
    describeSkippedSpans(opened);
  });
}
