import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledDir, libraries } from '../workspace.mjs';

const MARKED = /(<!-- masking: (\w+) -->\n)[^]*?(<!-- end of masking -->)/g;

/**
 * Regenerates the masking lists of a document from the rules: the text between `<!-- masking: names -->` or
 * `<!-- masking: texts -->` and `<!-- end of masking -->`.
 */
export async function withMaskingLists(markdown) {
  if (!markdown.includes('<!-- masking:')) return markdown;
  const protocol = libraries().find(({ name }) => name === 'protocol');
  const rules = await import(pathToFileURL(join(compiledDir(protocol), 'index.js')).href);
  const lists = { names: listNames(rules), texts: listTexts(rules) };
  return markdown.replace(MARKED, (_, head, list, end) => `${head}\n${lists[list]}\n\n${end}`);
}

function listNames({ SECRET_NAMES }) {
  const rows = [
    ['strong', 'is', SECRET_NAMES.strong],
    ['strong', 'ends in', SECRET_NAMES.strongEndings],
    ['weak', 'is', SECRET_NAMES.weak],
    ['weak', 'ends in', SECRET_NAMES.weakEndings],
  ];
  const lines = rows.map(
    ([strength, how, names]) => `| ${strength} | ${how} | ${names.map((name) => `\`${name}\``).join(', ')} |`,
  );
  return ['| | The name | |', '| --- | --- | --- |', ...lines].join('\n');
}

function listTexts({
  BUILT_IN_PATTERNS,
  foreignNamePattern,
  labelPattern,
  listedPattern,
  markedSecretPatterns,
  namedSecretPatterns,
  nameStrength,
  PHRASE_PATTERNS,
  PROVIDER_KEYS,
}) {
  const patterns = [
    BUILT_IN_PATTERNS,
    PHRASE_PATTERNS,
    foreignNamePattern(),
    labelPattern(nameStrength),
    listedPattern(nameStrength),
    markedSecretPatterns(nameStrength),
    namedSecretPatterns(nameStrength),
  ];
  const rows = patterns.flat().map(({ finds, example }) => `| ${capitalized(finds)} | ${toCode(example)} |`);
  // `eyJ` begins a JSON Web Token.
  const all = [...PROVIDER_KEYS.flatMap((kind) => kind.heads), 'eyJ'];
  const heads = all.map((head) => `\`${head}\``).join(', ');
  return [
    '| Found in a text | Example |',
    '| --- | --- |',
    ...rows,
    '',
    `Keys of providers begin with one of: ${heads}.`,
  ].join('\n');
}

function capitalized(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** Formats an example as code. Escapes line breaks and bars, which would end the table cell. */
function toCode(example) {
  return `\`${example.replaceAll('\n', ' ').replaceAll('|', '\\|')}\``;
}
