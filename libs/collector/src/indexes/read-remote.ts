import { Fields, type IndexRemote, LIMITS, REMOTE_KINDS, type RemotePage } from '@dacapo/protocol';

/** Hosts in addition to that of the address. */
const MOST_HOSTS = 100;

/** @throws ProtocolError naming the field that is missing or has the wrong shape */
export function readRemote(body: Fields): IndexRemote {
  return {
    url: address(body, 'url'),
    kind: body.oneOf('kind', REMOTE_KINDS),
    also: listOf(body, 'also', MOST_HOSTS).map((host) =>
      typeof host === 'string' && host.length <= LIMITS.labelLength
        ? host
        : body.fail('also', 'must be an array of hosts'),
    ),
    ...(body.has('under') && { under: body.text('under', LIMITS.sourceLength) }),
    max_pages: body.integer('max_pages', 1, LIMITS.remotePages),
    refreshed_at: body.timestamp('refreshed_at'),
    pages: listOf(body, 'pages', LIMITS.remotePages).map((page, index) =>
      readPage(Fields.of(`pages[${index}]`, page)),
    ),
  };
}

function readPage(page: Fields): RemotePage {
  return {
    url: address(page, 'url'),
    source: page.text('source', LIMITS.sourceLength),
    ...(page.has('etag') && { etag: page.text('etag', LIMITS.labelLength) }),
    ...(page.has('last_modified') && { last_modified: page.text('last_modified', LIMITS.labelLength) }),
  };
}

function address(fields: Fields, name: string): string {
  const isAddress = (text: string): boolean =>
    text.length <= LIMITS.sourceLength && /^https?:/.test(text) && URL.canParse(text);
  return fields.matching(name, isAddress, 'an http or https address');
}

function listOf(body: Fields, name: string, most: number): ReturnType<Fields['array']> {
  const list = body.array(name);
  return list.length <= most ? list : body.fail(name, `must have at most ${most} entries`);
}
