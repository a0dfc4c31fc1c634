import {
  LIMITS,
  type AddDocumentsAnswer,
  type DeleteDocumentsAnswer,
  Fields,
  INDEX_TYPES,
  type IndexDetail,
  type IndexRemote,
  type ListDocumentsAnswer,
  ROUTES,
  DOCUMENT_TYPES,
  type DocumentUpload,
} from '@dacapo/protocol';
import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { IndexService } from '../../indexes/index-service.js';
import { readRemote } from '../../indexes/read-remote.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

/** @throws ProtocolError naming the field, when a required field is missing or any field has the wrong shape */
function readUpload(path: string, value: unknown): DocumentUpload {
  const upload = Fields.of(path, value);
  return {
    source: upload.matching(
      'source',
      isSource,
      `a path or an address of 1 to ${LIMITS.sourceLength} characters`,
    ),
    ...(upload.has('title') && { title: upload.label('title') }),
    content: upload.string('content'),
    content_type: upload.oneOf('content_type', DOCUMENT_TYPES),
  };
}

function isSource(text: string): boolean {
  return text.trim() !== '' && text.length <= LIMITS.sourceLength;
}

@Controller()
export class IndexesController {
  constructor(private readonly indexes: IndexService) {}

  @Get(ROUTES.indexes)
  @Needs('read')
  async list(@Caller() accountId: string): Promise<{ items: IndexDetail[] }> {
    return { items: await this.indexes.list(accountId) };
  }

  @Post(ROUTES.indexes)
  @Audited('index.create')
  @Needs('manage')
  create(@Caller() accountId: string, @JsonBody() body: Fields): Promise<IndexDetail> {
    return this.indexes.create(accountId, {
      name: body.label('name'),
      type: body.oneOf('type', INDEX_TYPES),
    });
  }

  @Delete(ROUTES.index)
  @Audited('index.delete')
  @Needs('manage')
  @HttpCode(204)
  delete(@Caller() accountId: string, @Param('index_id') indexId: string): Promise<void> {
    return this.indexes.delete(accountId, indexId);
  }

  @Get(ROUTES.indexDocuments)
  @Needs('read')
  documents(@Caller() accountId: string, @Param('index_id') indexId: string): Promise<ListDocumentsAnswer> {
    return this.indexes.documents(accountId, indexId);
  }

  @Post(ROUTES.deleteDocuments)
  @Audited('index_documents.delete')
  @Needs('manage')
  @HttpCode(200)
  deleteDocuments(
    @Caller() accountId: string,
    @Param('index_id') indexId: string,
    @JsonBody() body: Fields,
  ): Promise<DeleteDocumentsAnswer> {
    const sources = body
      .array('sources', LIMITS.documentsAtOnce)
      .map((source) =>
        typeof source === 'string' ? source : body.fail('sources', 'must be an array of texts'),
      );
    return this.indexes.deleteDocuments(accountId, indexId, sources);
  }

  @Get(ROUTES.indexRemote)
  @Needs('read')
  remote(@Caller() accountId: string, @Param('index_id') indexId: string): Promise<IndexRemote> {
    return this.indexes.remote(accountId, indexId);
  }

  @Post(ROUTES.indexRemote)
  @Audited('index_remote.set')
  @Needs('manage')
  @HttpCode(200)
  setRemote(
    @Caller() accountId: string,
    @Param('index_id') indexId: string,
    @JsonBody() body: Fields,
  ): Promise<IndexDetail> {
    return this.indexes.setRemote(accountId, indexId, readRemote(body));
  }

  @Post(ROUTES.indexDocuments)
  @Audited('index_documents.add')
  @Needs('manage')
  @HttpCode(200)
  addDocuments(
    @Caller() accountId: string,
    @Param('index_id') indexId: string,
    @JsonBody() body: Fields,
  ): Promise<AddDocumentsAnswer> {
    const uploads = body
      .objects('documents', LIMITS.documentsAtOnce)
      .map((upload, index) => readUpload(`documents[${index}]`, upload));
    return this.indexes.addDocuments(accountId, indexId, uploads);
  }
}
