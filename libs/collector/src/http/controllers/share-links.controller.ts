import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { ShareLinkService } from '../../sharing/share-link-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { Handles, RequestInput } from '../routes/handles.decorator.js';

const { list, create, revoke } = API.shareLinks;

@Controller()
export class ShareLinksController {
  constructor(private readonly links: ShareLinkService) {}

  @Handles(list)
  async list(_: object, @Caller() accountId: string): Promise<Answer<typeof list>> {
    return { items: await this.links.list(accountId) };
  }

  @Handles(create)
  @Audited('share_link.create')
  create(@RequestInput() request: Input<typeof create>, @Identity() { accountId, member }: CallerIdentity) {
    return this.links.create(accountId, request, member);
  }

  @Handles(revoke)
  @Audited('share_link.revoke')
  revoke(@RequestInput() { id }: Input<typeof revoke>, @Caller() accountId: string) {
    return this.links.revoke(accountId, id);
  }
}
