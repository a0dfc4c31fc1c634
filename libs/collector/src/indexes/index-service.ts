import {
  type AddDocumentsAnswer,
  type CreateIndexRequest,
  type DeleteDocumentsAnswer,
  type DocumentUpload,
  formatTimestamp,
  type IndexDetail,
  type IndexedService,
  type IndexRemote,
  type ListDocumentsAnswer,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta-store.js';
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

  /** The catalogue as SPEC 2.3 shows it. */
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
   * A document sent again under its source replaces the old one. One that cannot be read is skipped and reported.
   *
   * @throws NotFoundException
   */
  async addDocuments(
    accountId: string,
    indexId: string,
    uploads: DocumentUpload[],
  ): Promise<AddDocumentsAnswer> {
    await this.get(accountId, indexId);
    const outcomes = await Promise.all(
      uploads.map(async (upload) => {
        const read = await this.reader.read(accountId, upload);
        if ('reason' in read) return { source: upload.source, reason: read.reason };
        return this.meta.indexes.putDocument(accountId, indexId, read.document);
      }),
    );
    const added = outcomes.filter((outcome) => outcome === 'added').length;
    if (added > 0) this.searcher.prepare(accountId, indexId);
    const skipped = outcomes.filter((outcome) => typeof outcome === 'object');
    return { added, unchanged: outcomes.length - added - skipped.length, skipped };
  }

  /** @throws NotFoundException */
  async documents(accountId: string, indexId: string): Promise<ListDocumentsAnswer> {
    await this.get(accountId, indexId);
    const documents = await this.meta.indexes.documents(accountId, indexId);
    return { items: documents.map(({ source, title }) => ({ source, title })) };
  }

  /** @throws NotFoundException */
  async deleteDocuments(
    accountId: string,
    indexId: string,
    sources: string[],
  ): Promise<DeleteDocumentsAnswer> {
    await this.get(accountId, indexId);
    return { deleted: await this.meta.indexes.deleteDocuments(accountId, indexId, sources) };
  }

  /** @throws NotFoundException when there is no such index, or none that is fetched from an address */
  async remote(accountId: string, indexId: string): Promise<IndexRemote> {
    await this.get(accountId, indexId);
    const remote = await this.meta.indexes.remote(accountId, indexId);
    if (!remote) throw new NotFoundException(`Index ${indexId} comes from no address`);
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

/** A new id of the shape `scrape_<digits>` (SPEC 2.3): 16 random digits. */
function newIndexId(): string {
  const eightDigits = (): string => randomInt(1e8).toString().padStart(8, '0');
  return `scrape_${eightDigits()}${eightDigits()}`;
}
