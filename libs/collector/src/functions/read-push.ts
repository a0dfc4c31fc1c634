import { type Fields, isFunctionName, type PushFunctionRequest } from '@dacapo/protocol';
import { BadRequestException } from '@nestjs/common';

const LONGEST_SOURCE = 1024 * 1024;
const LONGEST_NOTE = 4096;

/**
 * Reads a new version. The source is not compiled here; that its entry stands in it is seen without.
 *
 * @throws ProtocolError, BadRequestException
 */
export function readPush(name: string, body: Fields): PushFunctionRequest {
  if (!isFunctionName(name)) {
    throw new BadRequestException(
      'name must start with a letter and have letters, digits, ".", "_" and "-", at most 128 characters',
    );
  }
  const source = body.matching('source', isSource, `BAML source of 1 to ${LONGEST_SOURCE} characters`);
  const entry = body.has('entry') ? body.string('entry') : name;
  if (!declares(source, entry))
    body.fail('entry', `must be a function of the source; it has no function ${entry}`);
  return {
    source,
    entry,
    ...(body.has('note') && {
      note: body.matching(
        'note',
        (note) => note.length <= LONGEST_NOTE,
        `at most ${LONGEST_NOTE} characters`,
      ),
    }),
    ...(body.has('activate') && { activate: readFlag(body, 'activate') }),
  };
}

function isSource(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_SOURCE;
}

function declares(source: string, entry: string): boolean {
  return /^\w+$/.test(entry) && new RegExp(`^[ \\t]*function\\s+${entry}\\s*\\(`, 'm').test(source);
}

function readFlag(body: Fields, name: string): boolean {
  const value = body.value(name);
  return typeof value === 'boolean' ? value : body.fail(name, 'must be true or false');
}
