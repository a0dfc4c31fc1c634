import {
  type AddDocumentsAnswer,
  type CreateIndexRequest,
  type DocumentUpload,
  formatTimestamp,
  type IndexDetail,
  type IndexedService,
  type IndexRemote,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { DocumentReader } from './documents/document-reader.js';
import { IndexSearcher } from './search/index-searcher.js';
import { randomInt } from 'node:crypto';

@Injectable()
export class IndexService {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly reader: DocumentReader,
    private readonly searcher: IndexSearcher,
  ) {}

  /** The catalogue of SPEC 2.3. */
  async catalogue(accountId: string): Promise<IndexedService[]> {
    const indexes = await this.meta.indexes.list(accountId);
    return indexes.map(({ name, index_id, type }) => ({ name, index_id, type }));
  }

  list(accountId: string): Promise<IndexDetail[]> {
    return this.meta.indexes.list(accountId);
  }

  async create(accountId: string, { name, type }: CreateIndexRequest): Promise<IndexDetail> {
    const indexId = newIndexId();
    const createdAt = formatTimestamp(this.clock.nowUs());
    await this.meta.indexes.create(accountId, { index_id: indexId, name, type, createdAt });
    return this.get(accountId, indexId);
  }

  /** @throws NotFoundException */
  async delete(accountId: string, indexId: string): Promise<void> {
    if (!(await this.meta.indexes.delete(accountId, indexId))) throw notFound(indexId);
  }

  /**
   * Adds documents. A document replaces the one with the same source. Unreadable documents are skipped and reported.
   *
   * @throws NotFoundException
   */
  async addDocuments(
    accountId: string,
    indexId: string,
    uploads: DocumentUpload[],
  ): Promise<AddDocumentsAnswer> {
    await this.get(accountId, indexId);
    const results = await Promise.all(
      uploads.map(async (upload) => {
        const read = await this.reader.read(accountId, upload);
        if ('reason' in read) return { source: upload.source, reason: read.reason };
        return this.meta.indexes.putDocument(accountId, indexId, read.document);
      }),
    );
    const added = results.filter((result) => result === 'added').length;
    if (added > 0) this.searcher.prepare(accountId, indexId);
    const skipped = results.filter((result) => typeof result === 'object');
    return { added, unchanged: results.length - added - skipped.length, skipped };
  }

  /** @throws NotFoundException */
  async documents(accountId: string, indexId: string): Promise<{ source: string; title: string }[]> {
    await this.get(accountId, indexId);
    const documents = await this.meta.indexes.documents(accountId, indexId);
    return documents.map(({ source, title }) => ({ source, title }));
  }

  /** @returns how many existed. @throws NotFoundException */
  async deleteDocuments(accountId: string, indexId: string, sources: string[]): Promise<number> {
    await this.get(accountId, indexId);
    return this.meta.indexes.deleteDocuments(accountId, indexId, sources);
  }

  /** @throws NotFoundException when the index does not exist, or was not fetched from an address */
  async remote(accountId: string, indexId: string): Promise<IndexRemote> {
    await this.get(accountId, indexId);
    const remote = await this.meta.indexes.remote(accountId, indexId);
    if (!remote) throw new NotFoundException(`Index ${indexId} was not created from an address`);
    return remote;
  }

  /** @throws NotFoundException */
  async setRemote(accountId: string, indexId: string, remote: IndexRemote): Promise<IndexDetail> {
    await this.get(accountId, indexId);
    await this.meta.indexes.setRemote(accountId, indexId, remote);
    return this.get(accountId, indexId);
  }

  private async get(accountId: string, indexId: string): Promise<IndexDetail> {
    const index = await this.meta.indexes.find(accountId, indexId);
    if (!index) throw notFound(indexId);
    return index;
  }
}

function notFound(indexId: string): NotFoundException {
  return new NotFoundException(`Index ${indexId} not found`);
}

/** `scrape_` and 16 random digits (SPEC 2.3). */
function newIndexId(): string {
  const eightDigits = (): string => randomInt(1e8).toString().padStart(8, '0');
  return `scrape_${eightDigits()}${eightDigits()}`;
}
