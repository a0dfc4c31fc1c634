import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { IndexService } from '../../indexes/index-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

const routes = API.indexes;
type Routes = typeof routes;

@Controller()
export class IndexesController {
  constructor(private readonly indexes: IndexService) {}

  @Handles(routes.list)
  async list(_: object, @Caller() accountId: string): Promise<Answer<Routes['list']>> {
    return { items: await this.indexes.list(accountId) };
  }

  @Handles(routes.create)
  @Audited('index.create')
  create(@RequestInput() index: Input<Routes['create']>, @Caller() accountId: string) {
    return this.indexes.create(accountId, index);
  }

  @Handles(routes.delete)
  @Audited('index.delete')
  delete(@RequestInput() { index_id }: Input<Routes['delete']>, @Caller() accountId: string) {
    return this.indexes.delete(accountId, index_id);
  }

  @Handles(routes.documents)
  async documents(
    @RequestInput() { index_id }: Input<Routes['documents']>,
    @Caller() accountId: string,
  ): Promise<Answer<Routes['documents']>> {
    return { items: await this.indexes.documents(accountId, index_id) };
  }

  @Handles(routes.addDocuments)
  @Audited('index_documents.add')
  addDocuments(
    @RequestInput() { index_id, documents }: Input<Routes['addDocuments']>,
    @Caller() accountId: string,
  ) {
    return this.indexes.addDocuments(accountId, index_id, documents);
  }

  @Handles(routes.deleteDocuments)
  @Audited('index_documents.delete')
  async deleteDocuments(
    @RequestInput() { index_id, sources }: Input<Routes['deleteDocuments']>,
    @Caller() accountId: string,
  ): Promise<Answer<Routes['deleteDocuments']>> {
    return { deleted: await this.indexes.deleteDocuments(accountId, index_id, sources) };
  }

  @Handles(routes.remote)
  remote(@RequestInput() { index_id }: Input<Routes['remote']>, @Caller() accountId: string) {
    return this.indexes.remote(accountId, index_id);
  }

  @Handles(routes.setRemote)
  @Audited('index_remote.set')
  setRemote(
    @RequestInput() { index_id, ...remote }: Input<Routes['setRemote']>,
    @Caller() accountId: string,
  ) {
    return this.indexes.setRemote(accountId, index_id, remote);
  }
}
