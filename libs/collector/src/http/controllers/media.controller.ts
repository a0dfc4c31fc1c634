import { API, type Input } from '@dacapo/protocol/api';
import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { MediaService } from '../../media/media-service.js';
import { Caller } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';
import { sendMedia } from '../send-media.js';

const { get } = API.media;

@Controller()
export class MediaController {
  constructor(private readonly media: MediaService) {}

  @Handles(get)
  async get(
    @RequestInput() { id }: Input<typeof get>,
    @Caller() accountId: string,
    @Res() reply: FastifyReply,
  ) {
    sendMedia(await this.media.get(accountId, id), reply);
  }
}
