import {
  type AddDocumentsAnswer,
  type Fields,
  INDEX_TYPES,
  type IndexDetail,
  ROUTES,
} from '@dacapo/protocol';
import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { readUpload } from '../../indexes/documents/read-upload.js';
import { IndexService } from '../../indexes/index-service.js';
import { Caller } from '../access/caller.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

@Controller()
export class IndexesController {
  constructor(private readonly indexes: IndexService) {}

  @Get(ROUTES.indexes)
  async list(@Caller() accountId: string): Promise<{ items: IndexDetail[] }> {
    return { items: await this.indexes.list(accountId) };
  }

  @Post(ROUTES.indexes)
  create(@Caller() accountId: string, @JsonBody() body: Fields): Promise<IndexDetail> {
    return this.indexes.create(accountId, {
      name: body.label('name'),
      type: body.oneOf('type', INDEX_TYPES),
    });
  }

  @Delete(ROUTES.index)
  @HttpCode(204)
  delete(@Caller() accountId: string, @Param('index_id') indexId: string): Promise<void> {
    return this.indexes.delete(accountId, indexId);
  }

  @Post(ROUTES.indexDocuments)
  @HttpCode(200)
  addDocuments(
    @Caller() accountId: string,
    @Param('index_id') indexId: string,
    @JsonBody() body: Fields,
  ): Promise<AddDocumentsAnswer> {
    const uploads = body
      .objects('documents')
      .map((upload, index) => readUpload(`documents[${index}]`, upload));
    return this.indexes.addDocuments(accountId, indexId, uploads);
  }
}
