/** Texts that often break parsers. */
const TOKENS = [
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  'NaN',
  '-0',
  '1e999',
  '-1',
  '9007199254740993',
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ':',
  ',',
  "'",
  '`',
  '<',
  '>',
  '&',
  '#',
  '|',
  '-',
  '=',
  '*',
  '~',
  '%',
  ';',
  '\0',
  '\u2028',
  '\ud800',
  '\udfff',
  '\ufeff',
  '\r',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '\u00a0',
  '😀',
  'İ',
  '\\u0000',
  '---\n',
  '```',
  '<!--',
  '-->',
  '<script>',
  '</',
  '&#x',
  '<![CDATA[',
  '*a',
  '&a ',
  '!!js/function ',
  '$ref',
  'data:',
  'base64,',
  '{#',
  '/**',
  '*/',
  '//',
  '%00',
  '%ff',
  '../',
  'http://',
  '=?',
  '==',
  '\\x',
  '${',
];
const VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  'x',
  [],
  {},
  [[]],
  { a: 1 },
  '\ud800',
  '__proto__',
];

/** A mutated text based on `samples`. */
export function mutatedText(random, samples) {
  let text = random.pick(samples);
  for (let times = random.below(6); times >= 0; times--) text = mutateOnce(random, text, samples);
  return text.slice(0, 200_000);
}

function mutateOnce(random, text, samples) {
  const at = random.below(text.length + 1);
  const end = Math.min(text.length, at + random.below(20));
  switch (random.below(8)) {
    case 0:
      return text.slice(0, at) + random.pick(TOKENS) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(end);
    case 2:
      return text.slice(0, at) + random.pick(TOKENS) + text.slice(end);
    case 3:
      return text.slice(0, end) + text.slice(at);
    case 4:
      return text.slice(0, at) + random.pick(TOKENS).repeat(1 + random.below(300)) + text.slice(at);
    case 5:
      return text.slice(0, at) + random.pick(samples).slice(random.below(50));
    case 6:
      return text.slice(0, at);
    default:
      return text.slice(0, at) + text.slice(at, end).repeat(1 + random.below(2000)) + text.slice(end);
  }
}

/** A copy of `value` with a change, an addition or a removal. */
export function mutatedValue(random, value, depth = 0) {
  if (typeof value !== 'object' || value === null || random.chance(0.15) || depth > 12) {
    if (random.chance(0.05)) return nested(random.below(900));
    return random.chance(0.2) && typeof value === 'string'
      ? mutatedText(random, [value])
      : random.pick(VALUES);
  }
  const copy = Array.isArray(value) ? [...value] : Object.assign(Object.create(null), value);
  const keys = Object.keys(copy);
  const key = keys.length === 0 || random.chance(0.1) ? random.pick(TOKENS) : random.pick(keys);
  if (Array.isArray(copy)) {
    if (random.chance(0.2)) copy.push(random.pick(VALUES));
    if (random.chance(0.2)) copy.splice(random.below(copy.length + 1), 1);
  } else if (random.chance(0.25)) delete copy[key];
  else copy[key] = mutatedValue(random, copy[key], depth + 1);
  return copy;
}

function nested(levels) {
  let value = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
