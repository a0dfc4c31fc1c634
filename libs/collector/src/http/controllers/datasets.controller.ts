import { API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { DatasetService } from '../../datasets/dataset-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';
import { toPage } from '../routes/to-page.js';

const routes = API.datasets;
type Routes = typeof routes;

@Controller()
export class DatasetsController {
  constructor(private readonly datasets: DatasetService) {}

  @Handles(routes.create)
  @Audited('dataset.create')
  create(@RequestInput() dataset: Input<Routes['create']>, @Caller() accountId: string) {
    return this.datasets.create(accountId, dataset);
  }

  @Handles(routes.list)
  list(@RequestInput() page: Input<Routes['list']>, @Caller() accountId: string) {
    return this.datasets.list(accountId, toPage(page));
  }

  @Handles(routes.get)
  get(@RequestInput() { name }: Input<Routes['get']>, @Caller() accountId: string) {
    return this.datasets.get(accountId, name);
  }

  @Handles(routes.delete)
  @Audited('dataset.delete')
  delete(@RequestInput() { name }: Input<Routes['delete']>, @Caller() accountId: string) {
    return this.datasets.delete(accountId, name);
  }

  @Handles(routes.addVersion)
  @Audited('dataset_version.create')
  addVersion(@RequestInput() { name, ...change }: Input<Routes['addVersion']>, @Caller() accountId: string) {
    return this.datasets.addVersion(accountId, name, change);
  }

  @Handles(routes.listItems)
  listItems(
    @RequestInput() { name, version, not_in: notIn, ...page }: Input<Routes['listItems']>,
    @Caller() accountId: string,
  ) {
    const options = notIn === undefined ? {} : { notIn };
    return this.datasets.listItems(accountId, name, version, options, toPage(page));
  }
}
