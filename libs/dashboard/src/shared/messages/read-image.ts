import { isJsonObject, type JsonObject, type JsonValue } from '@dacapo/protocol';

/** Formats that every browser shows. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const DATA = /^data:(image\/[a-z+.-]+);base64,[A-Za-z0-9+/=_-]+$/;

/** The address of an image in a part of a message, in any client's format: `data:` or `https:`. `undefined` for anything else. */
export function readImage(part: JsonObject): string | undefined {
  const { type, image_url: imageUrl, source, image, data, url, inlineData } = part;
  const mediaType = part['mediaType'] ?? part['mimeType'];
  if (type === 'image_url' || type === 'input_image')
    return toAddress(isJsonObject(imageUrl) ? imageUrl['url'] : imageUrl, undefined);
  if (isJsonObject(inlineData)) return toAddress(inlineData['data'], inlineData['mimeType']);
  if (type === 'image' && isJsonObject(source))
    return toAddress(source['data'] ?? source['url'], source['media_type']);
  const isImageFile = type === 'file' && typeof mediaType === 'string' && mediaType.startsWith('image/');
  return type === 'image' || isImageFile ? toAddress(image ?? data ?? url, mediaType) : undefined;
}

function toAddress(content: JsonValue | undefined, mediaType: JsonValue | undefined): string | undefined {
  if (typeof content !== 'string') return undefined;
  if (content.startsWith('https://')) return content;
  const type = typeof mediaType === 'string' ? mediaType : '';
  const address = content.startsWith('data:') ? content : `data:${type};base64,${content}`;
  return SHOWN.test(DATA.exec(address)?.[1] ?? '') ? address : undefined;
}
