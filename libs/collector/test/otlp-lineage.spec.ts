import { expectLateChildrenAttached } from './support/late-children.js';
import { createTenant, Service } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

describe('a late child of skipped spans', () => {
  it('attaches to the nearest stored ancestor after a restart', async () => {
    const dataDir = temporaryDirectory();
    let service = await Service.start({ dataDir });
    const tenant = await service.addTenant();
    await expectLateChildrenAttached(tenant, async () => {
      await service.close();
      service = await Service.start({ dataDir });
      return createTenant(service.url, tenant.accountId, tenant.apiKey);
    });
    await service.close();
  });
});
