import type { JsonValue } from '../json/json-value.js';
import { HINTS } from './hint-kinds.js';
import type { SecretPattern } from './patterns.js';
import { TOKEN_START } from '../values/redaction-token.js';
import type { NameRule } from './secret-names.js';
import { isSecretValue } from './secret-values.js';

/** Placeholders and types that are written instead of a secret. */
const NO_SECRET =
  /^(?:\$|\$[A-Z_][A-Z\d_]*|\$\{{1,2}[^}]*\}{0,2}|true|false|null|none|nil|undefined|nan|any|unknown|string|str|text|number|int|integer|boolean|bool|object|array|optional|required|varchar|password|secret|token|\*+|x{3,}|\.{3,}|…)$/i;
/** Code that reads the secret from somewhere: `request.body.password`, `process.env.KEY`. */
const MEMBER = /^[A-Za-z_$][A-Za-z_$]*(?:\??\.[A-Za-z_$][\w$]*)+$/;
/** A word with the punctuation of a sentence. */
export const IN_PROSE = /^[A-Za-z'’.!?:,-]*$/;
const LONGEST = 4096;
const NAME = '([\\w.-]{1,64})';
/** In a text, or in a string of code inside it. */
const LINE_BREAK = '(?:\\r?\\n|\\\\r\\\\n|\\\\n)';

/**
 * Secrets that follow their name in a text: in queries, `.env` files, YAML, headers and JSON inside strings. The patterns are tried in
 * this order at each name of a secret, so secrets inside the value of another name are found too.
 */
export function namedSecretPatterns(nameRule: NameRule): readonly SecretPattern[] {
  const isSecret = secretValueRule(nameRule);
  /** Groups: the name, the text between, the value, the text after it. */
  const named: SecretPattern['replace'] = (mask, match, [name = '', between = '', value = '', after = '']) =>
    isSecret(name, value) ? `${name}${between}${mask(value)}${after}` : match;
  /** In prose only words follow. A secret has more than letters, or ends the line. */
  const unquoted: SecretPattern['replace'] = (mask, match, groups) => {
    const [, , value = '', isLast] = groups;
    const isProse = isLast === undefined && IN_PROSE.test(value);
    return isProse || MEMBER.test(value) ? match : named(mask, match, groups.slice(0, 3));
  };

  return [
    {
      finds: 'JSON inside a string',
      example: '{"city":"Paris","password":"«hunter2»"}',
      expression: new RegExp(`${NAME}("\\s{0,8}:\\s{0,8}")((?:[^"\\\\]|\\\\.){1,${LONGEST}})(")`, 'y'),
      replace: named,
    },
    {
      finds: 'JSON inside JSON inside a string',
      example: '{"body":"{\\"password\\":\\"«hunter2»\\"}"}',
      expression: new RegExp(
        `${NAME}((\\\\{1,15})"\\s{0,8}:\\s{0,8}\\3")((?:(?!(?<!\\\\)\\3")[^]){1,${LONGEST}})(\\3")`,
        'y',
      ),
      replace: (mask, match, [name = '', between = '', , value = '', after = '']) =>
        isSecret(name, value) ? `${name}${between}${mask(value)}${after}` : match,
    },
    {
      finds: 'numbers in JSON inside a string',
      example: '{"cvv":«123»}',
      expression: new RegExp(`${NAME}((\\\\*")\\s{0,8}:\\s{0,8})(\\d[\\d.]{0,63})`, 'y'),
      replace: (mask, match, [name = '', between = '', quote = '', value = '']) => {
        const strength = nameRule(name);
        return strength !== undefined && isSecretValue(strength, name, Number(value))
          ? `${name}${between}${quote}${mask(value)}${quote}`
          : match;
      },
    },
    {
      finds: 'quoted values of `.env` files, YAML and code',
      example: "password = '«hunter2»'",
      expression: new RegExp(
        `${NAME}(["'\`]?\\]? {0,8}(?::|=>|:?=)\\s{0,8}(["'\`]))((?:(?!\\3)[^\\\\\\n]|\\\\[^]){1,${LONGEST}})(\\3)`,
        'y',
      ),
      replace: (mask, match, [name = '', between = '', , value = '', after = '']) =>
        isSecret(name, value) ? `${name}${between}${mask(value)}${after}` : match,
    },
    {
      finds: 'headers of a request: `Authorization`, `Cookie`',
      example: 'Cookie: «sid=31d4d96e407aad42»',
      expression:
        /((?:set-)?cookie2?|(?:proxy-)?authorization)(["']? {0,2}: {0,8}["']?(?:(?:Basic|Bearer|Digest|Token|ApiKey|Negotiate|AWS4-HMAC-SHA256) {1,8})?)([^\r\n"']{1,4096})()/iy,
      replace: (mask, match, groups) => (isHeaderValue(groups[2] ?? '') ? named(mask, match, groups) : match),
    },
    {
      finds: '`name=value` in queries, connection strings and `.env` files',
      example: 'Server=db;Password=«hunter2»;',
      expression: new RegExp(`${NAME}(\\]?=)([^\\s&;"'\`,<>]{1,${LONGEST}})()`, 'y'),
      // The shell has its working directory in PWD.
      replace: (mask, match, groups) =>
        /^(?:OLD)?PWD$/.test(groups[0] ?? '') && groups[2]?.startsWith('/') === true
          ? match
          : named(mask, match, groups),
    },
    {
      finds: '`name = value`',
      example: 'password = «hunter2»',
      expression: new RegExp(
        `${NAME}(\\]?(?: {1,8}= {0,8}| {0,8}= {1,8}))([^\\s&;"'\`,<>=()[\\]{}]{1,${LONGEST}})(?=([ \\t]*(?:[\\r\\n;,&"'<>)\\]}]|$))|\\s)`,
        'y',
      ),
      replace: unquoted,
    },
    {
      finds: 'values of YAML on the next line',
      example: 'password: |\n  «hunter2»',
      expression: new RegExp(
        `${NAME}(["']? {0,2}:[ \\t]{0,8}(?:[|>][-+]?\\d?[ \\t]{0,8})?${LINE_BREAK}[ \\t]{1,64}["']?)([^\\s&;"'\`,<>()[\\]{}#\\\\:-][^\\s&;"'\`,<>()[\\]{}\\\\]{1,${LONGEST}})(["']?[ \\t]{0,8}(?=${LINE_BREAK}|$))`,
        'y',
      ),
      replace: (mask, match, groups) =>
        IN_PROSE.test(groups[2] ?? '') || groups[2]?.endsWith(':') === true
          ? match
          : named(mask, match, groups),
    },
    {
      finds: '`name: value` in YAML and headers',
      example: 'x-api-key: «hunter2»',
      expression: new RegExp(
        `${NAME}(["']? {0,2}:(?:\\*\\*|__)?[ \\u00a0]{0,8})(?!\\\\[nrt])([^\\s&;"'\`,<>()[\\]{}]{1,${LONGEST}})(?=([ \\t]*(?:[\\r\\n;"'}\\]]|\\\\[nr]|$))|)`,
        'y',
      ),
      replace: unquoted,
    },
  ];
}

/** `API key: …`: the words before a sign are one name. */
export function labelPattern(nameRule: NameRule): SecretPattern {
  const isSecret = secretValueRule(nameRule);
  return {
    finds: 'labels of several words',
    hint: HINTS.label,
    example: 'Private key: «hunter2»',
    expression: new RegExp(
      `(?<![\\w-])((?:[A-Za-z]{2,16} ){1,2}[A-Za-z]{3,16})((?:["'\`*_]{0,3} {0,2}(?::|=>?) {0,4}["'\`*_]{0,3}))([^\\s"'\`,;<>()[\\]{}]{5,${LONGEST}})(?=([ \\t]*(?:[\\r\\n"'\`]|\\\\[nr]|$))|)`,
      'g',
    ),
    replace: (mask, match, [name = '', between = '', value = '', isLast]) => {
      const words = name.split(' ');
      const isNamed = words.some((_, i) => i < words.length - 1 && isSecret(words.slice(i).join('_'), value));
      const isProse = IN_PROSE.test(value) && !(isLast !== undefined && value.length > 16);
      return isProse || MEMBER.test(value) || !isNamed ? match : `${name}${between}${mask(value)}`;
    },
  };
}

const LONGEST_LIST = 1024;

/** `{"apiKeys":["…"]}` and `{"credentials":{…}}` inside a text, as they are or in JSON once more. */
export function listedPattern(nameRule: NameRule): SecretPattern {
  return {
    finds: 'lists and objects in JSON inside a string',
    hint: HINTS.list,
    example: '{"apiKeys":«["hunter2","hunter3"]»}',
    expression: new RegExp(
      `([\\w.-]{1,64})(\\\\{0,7}"\\s{0,8}:\\s{0,8})(\\[[^[\\]]{1,${LONGEST_LIST}}\\]|\\{(?:[^{}]|\\{[^{}]{0,${LONGEST_LIST}}\\}){1,${LONGEST_LIST}}\\})`,
      'g',
    ),
    replace: (mask, match, [name = '', between = '', list = '']) => {
      const strength = nameRule(name);
      const escape = /^\\*/.exec(between)?.[0] ?? '';
      const value = strength && parsedList(list, escape);
      if (strength === undefined || value === undefined || !isSecretValue(strength, name, value))
        return match;
      return `${name}${between}${escape}"${mask(list)}${escape}"`;
    },
  };
}

/** @param escape the backslashes before each quote */
function parsedList(list: string, escape: string): JsonValue | undefined {
  try {
    return JSON.parse(escape === '' ? list : list.replaceAll(`${escape}"`, '"')) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Whether the value of a name is a secret and not a placeholder. */
export function secretValueRule(nameRule: NameRule): (name: string, value: string) => boolean {
  return (name, value) => {
    const strength = nameRule(name);
    return (
      strength !== undefined &&
      !value.startsWith(TOKEN_START) &&
      !NO_SECRET.test(value) &&
      isSecretValue(strength, name, value)
    );
  };
}

/** Cookies are pairs. A token is one word with more than lower-case letters, or a long one. */
function isHeaderValue(value: string): boolean {
  return value.includes('=') || (/^\S+\s*$/.test(value) && (/[^a-z]/.test(value) || value.length > 16));
}
