import type { Codec } from '../capture/codec.js';
import { withMedia } from '../service/recorded-media.js';
import type { ServiceClient } from '../service/service-client.js';
import { type DatasetExample, decodeItem } from './dataset-entry.js';

/** The items of a version, in the order in which they were added. @throws ServiceResponseError, ServiceUnreachableError */
export async function* readItems(
  service: ServiceClient,
  name: string,
  version: number,
  codecs: readonly Codec[],
): AsyncGenerator<DatasetExample> {
  const pages = service.pages((api, page) => api.datasets.listItems({ name, version, ...page }));
  for await (const items of pages)
    for (const item of items)
      for (const whole of await withMedia(service, [item])) yield decodeItem(whole, codecs);
}
