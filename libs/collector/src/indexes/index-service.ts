import {
  type AddDocumentsAnswer,
  type CreateIndexRequest,
  type DocumentUpload,
  formatTimestamp,
  type GetContextData,
  type IndexDetail,
  type IndexedService,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta-store.js';
import { readDocument } from './documents/read-document.js';
import { randomInt } from 'node:crypto';

@Injectable()
export class IndexService {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
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

  /** A document sent again under its source replaces the old one. @throws NotFoundException */
  async addDocuments(
    accountId: string,
    indexId: string,
    uploads: DocumentUpload[],
  ): Promise<AddDocumentsAnswer> {
    await this.get(accountId, indexId);
    const outcomes = await Promise.all(
      uploads.map((upload) => this.meta.indexes.putDocument(accountId, indexId, readDocument(upload))),
    );
    const added = outcomes.filter((outcome) => outcome === 'added').length;
    return { added, unchanged: outcomes.length - added };
  }

  /** @throws NotFoundException */
  async getContext(
    accountId: string,
    indexId: string,
    query: string,
    limit: number,
  ): Promise<GetContextData> {
    await this.get(accountId, indexId);
    return { index_id: indexId, results: await this.meta.indexes.search(accountId, indexId, query, limit) };
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
