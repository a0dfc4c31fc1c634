import type { FastifyReply } from 'fastify';
import type { StoredMedia } from '../storage/meta/media.js';

/** Types that a browser may show. SVG, HTML, XML and PDF are not among them, because they can contain scripts. */
const SHOWN =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/(?:mp4|webm|ogg|mpeg|quicktime))$/;

/** Sends an attachment, except for types that a browser shows without running anything. */
export function sendMedia({ id, type, bytes }: Required<StoredMedia>, reply: FastifyReply): void {
  const isShown = SHOWN.test(type);
  void reply
    .headers({
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'content-disposition': isShown ? 'inline' : `attachment; filename="${id.slice(0, 16)}"`,
    })
    .type(isShown ? type : 'application/octet-stream')
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
