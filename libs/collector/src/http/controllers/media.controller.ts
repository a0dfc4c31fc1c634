import { API, type Input } from '@dacapo/protocol/api';
import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { MediaService } from '../../media/media-service.js';
import { Caller } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

/** What a browser may show. Nothing that can hold a script: no SVG, HTML, XML or PDF. */
const SHOWN =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/(?:mp4|webm|ogg|mpeg|quicktime))$/;

const { get } = API.media;

@Controller()
export class MediaController {
  constructor(private readonly media: MediaService) {}

  /** As an attachment, except types that a browser shows without running anything. */
  @Handles(get)
  async get(
    @RequestInput() { id }: Input<typeof get>,
    @Caller() accountId: string,
    @Res() reply: FastifyReply,
  ) {
    const { type, bytes } = await this.media.get(accountId, id);
    const isShown = SHOWN.test(type);
    void reply
      .headers({
        'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
        'content-disposition': isShown ? 'inline' : `attachment; filename="${id.slice(0, 16)}"`,
      })
      .type(isShown ? type : 'application/octet-stream')
      .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }
}
