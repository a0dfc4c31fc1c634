import { IN_PROSE, secretValueRule } from './named-patterns.js';
import type { SecretPattern } from './patterns.js';
import type { NameRule } from './secret-names.js';

const LONGEST = 4096;
const NAME = '([\\w.-]{1,64})';

/** Secrets whose name is marked by more than a sign: command-line options, elements, forms, encoded pairs. */
export function markedSecretPatterns(nameRule: NameRule): readonly SecretPattern[] {
  const isSecret = secretValueRule(nameRule);
  /** Groups: the text before, the name, the text between, the value. */
  const beside: SecretPattern['replace'] = (
    mask,
    match,
    [before = '', name = '', between = '', value = ''],
  ) => (isSecret(name, value.trim()) ? `${before}${name}${between}${mask(value)}` : match);
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
    {
      finds: 'fields of a form that is sent in parts',
      example: 'Content-Disposition: form-data; name="password"\n\n«hunter2»\n--part--',
      needs: ['form-data'],
      expression: new RegExp(
        `(form-data;[^\\r\\n]{0,256}?\\bname="?)([\\w.[\\]-]{1,64})("?[^\\r\\n]{0,256}\\r?\\n(?:[\\w-]{1,64}:[^\\r\\n]{0,256}\\r?\\n){0,8}\\r?\\n)([^\\r\\n]{1,${LONGEST}})(?=\\r?\\n--|\\s*$)`,
        'g',
      ),
      replace: beside,
    },
    {
      finds: 'attributes of HTML and XML: a name with a value',
      example: '<input type="password" name="password" value="«hunter2»">',
      needs: ['value=', 'content='],
      expression: new RegExp(
        `(<[\\w.:-]{1,64}\\s(?:[^<>]{0,256}\\s)?(?:name|key|id)=["'])([\\w.:-]{1,64})(["']\\s(?:[^<>]{0,256}\\s)?(?:value|content)=["'])([^"'<>]{1,${LONGEST}})`,
        'g',
      ),
      replace: beside,
    },
    {
      finds: 'elements of HTML and property lists: a name, then its value',
      example: '<key>password</key><string>«hunter2»</string>',
      needs: ['</key>', '</td>', '</th>', '</dt>', '</name>'],
      expression: new RegExp(
        `(<(?:key|t[dh]|dt|name)>\\s{0,16})([\\w.: -]{1,64}?)(:?\\s{0,16}</(?:key|t[dh]|dt|name)>\\s{0,64}<(?:string|td|dd|value)>)([^<>]{1,${LONGEST}})`,
        'g',
      ),
      replace: beside,
    },
    {
      finds: '`name` and `value` in YAML',
      example: '- name: DB_PASSWORD\n  value: «hunter2»',
      needs: ['value:'],
      expression: new RegExp(
        `(\\bname:[ \\t]{1,8}["']?)([\\w.-]{1,64})(["']?[ \\t]{0,8}\\r?\\n[ \\t]{1,64}value:[ \\t]{1,8}["']?)([^\\s"']{1,${LONGEST}})`,
        'g',
      ),
      replace: beside,
    },
    {
      finds: 'variables of a Dockerfile',
      example: 'ENV API_KEY «hunter2»',
      needs: ['ENV '],
      expression: new RegExp(`(^ENV[ \\t]{1,8})${NAME}([ \\t]{1,8})([^\\s=]{1,${LONGEST}})$`, 'gm'),
      replace: (mask, match, groups) => (/\d/.test(match) ? beside(mask, match, groups) : match),
    },
    {
      finds: 'pairs and JSON that are encoded for an address',
      example: 'next=%2Flogin%3Faccess_token%3D«hunter2»%26x%3D1',
      needs: ['%3D', '%3d', '%3A', '%3a', '%253D', '%253A'],
      expression: new RegExp(
        `(^|[^\\w.%-]|%(?:25)?(?:0A|2[02367BC]|3[BF]|7B))([\\w.-]{1,64})((?:%(?:25)?2[27])?%(?:25)?3[AD](?:%(?:25)?2[027]){0,4})((?:(?!%(?:25)?(?:0[AD]|2[267C]|3[BF]|7D))[^\\s&;"'<>]){1,${LONGEST}})`,
        'gi',
      ),
      replace: beside,
    },
  ];
}
