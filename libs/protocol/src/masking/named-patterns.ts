import type { SecretPattern } from './patterns.js';
import type { NameRule } from './secret-names.js';
import { isSecretValue } from './secret-values.js';

const MASKED = '[redacted:';
/** What is written where there is no secret, or its type. */
const NO_SECRET =
  /^(?:true|false|null|none|nil|undefined|nan|any|unknown|string|str|text|number|int|integer|boolean|bool|object|array|optional|required|varchar|password|secret|token|\*+|x{3,}|\.{3,}|…)$/i;
/** `request.body.password`, `process.env.KEY`: where code takes it from. */
const MEMBER = /^[A-Za-z_$][A-Za-z_$]*(?:\??\.[A-Za-z_$][\w$]*)+$/;
/** A word, and what may be after it in a sentence. */
const IN_PROSE = /^[A-Za-z'’.!?:,-]*$/;
const LONGEST = 4096;
const NAME = '([\\w.-]{1,64})';

/**
 * Secrets inside a text that have a name there: in queries, `.env` files, YAML, headers, and JSON inside strings. Each is tried,
 * in this order, where a name is that is secret: so the value of another name may hold one.
 */
export function namedSecretPatterns(ruleOf: NameRule): readonly SecretPattern[] {
  const isSecret = secretValueRule(ruleOf);
  /** Name, what is between, value, what follows. */
  const named: SecretPattern['replace'] = (mask, match, [name = '', between = '', value = '', after = '']) =>
    isSecret(name, value) ? `${name}${between}${mask(value)}${after}` : match;
  /** In prose words follow; a secret has more than letters, or is all that its line says. */
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
        const strength = ruleOf(name);
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
      finds: '`name: value` in YAML and headers',
      example: 'x-api-key: «hunter2»',
      expression: new RegExp(
        `${NAME}(["']? {0,2}: {0,8})(?!\\\\[nrt])([^\\s&;"'\`,<>()[\\]{}]{1,${LONGEST}})(?=([ \\t]*(?:[\\r\\n;"'}\\]]|\\\\[nr]|$))|)`,
        'y',
      ),
      replace: unquoted,
    },
  ];
}

/** Secrets inside a text that have a name before them without a sign: options of commands, elements of XML. */
export function markedSecretPatterns(ruleOf: NameRule): readonly SecretPattern[] {
  const isSecret = secretValueRule(ruleOf);
  return [
    {
      finds: 'options of commands',
      example: 'mysql --password «hunter2» shop',
      needs: ['--'],
      expression: new RegExp(
        `(?<![\\w-])--${NAME}( {1,8}["'\`]?)([^\\s"'\`&;|<>()\\\\$-][^\\s"'\`&;|<>()\\\\]{0,${LONGEST}})(?=([ \\t]*(?:[\\r\\n"'\`]|\\\\[nr]| -|$))|)`,
        'g',
      ),
      replace: (mask, match, [name = '', between = '', value = '', isLast]) =>
        (isLast === undefined && IN_PROSE.test(value)) || !isSecret(name, value)
          ? match
          : `--${name}${between}${mask(value)}`,
    },
    {
      finds: 'elements of XML',
      example: '<server><password>«hunter2»</password></server>',
      needs: ['</'],
      expression: new RegExp(`<([\\w.:-]{1,64})((?:\\s[^<>]{0,512})?>)([^<>]{1,${LONGEST}})(</\\1>)`, 'g'),
      replace: (mask, match, [name = '', between = '', value = '', after = '']) =>
        isSecret(name, value.trim()) ? `<${name}${between}${mask(value)}${after}` : match,
    },
  ];
}

function secretValueRule(ruleOf: NameRule): (name: string, value: string) => boolean {
  return (name, value) => {
    const strength = ruleOf(name);
    return (
      strength !== undefined &&
      !value.startsWith(MASKED) &&
      !NO_SECRET.test(value) &&
      isSecretValue(strength, name, value)
    );
  };
}

/** Cookies are pairs; a token is one word, and more than letters. */
function isHeaderValue(value: string): boolean {
  return value.includes('=') || (/^\S+\s*$/.test(value) && (/[^a-z]/.test(value) || value.length > 16));
}
