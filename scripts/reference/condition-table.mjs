import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledDir, libraries } from '../workspace.mjs';

const MARKED = /(<!-- conditions -->\n)[^]*?(<!-- end of conditions -->)/;

/** Regenerates the table of conditions of a document, between `<!-- conditions -->` and `<!-- end of conditions -->`. */
export async function withConditionTable(markdown) {
  if (!MARKED.test(markdown)) return markdown;
  const protocol = libraries().find(({ name }) => name === 'protocol');
  const path = join(compiledDir(protocol), 'index.js');
  const { conditionsIn, describeCondition } = await import(pathToFileURL(path).href);
  const rows = conditionsIn('lists').map(([name, condition]) => {
    const { word, operator = ':', choices } = condition;
    const parameter = name === 'metadata' ? 'metadata.tier' : name;
    const value = choices === undefined ? '' : `: ${choices.map((choice) => `\`${choice}\``).join(', ')}`;
    const line = { metadata: 'metadata.tier:', score_is: 'score.name:' }[name] ?? `${word}${operator}`;
    const written = line.replace(/^score([<>])/, 'score.name$1');
    return `| \`${parameter}\` | \`${written}\` | ${describeCondition(condition, 'lists').replace('traces ', '')}${value} |`;
  });
  const table = ['| Name | In a line | Traces |', '| --- | --- | --- |', ...rows].join('\n');
  return markdown.replace(MARKED, (_, head, end) => `${head}\n${table}\n\n${end}`);
}
