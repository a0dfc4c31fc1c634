import { dirname, join } from 'node:path/posix';

/** Plugin of markdown-it: links from a page to files outside docs/ lead to the repository. */
export function linkToRepository(markdown, repository) {
  markdown.core.ruler.push('link-to-repository', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? (token.attrGet('href') ?? '') : '';
      const path = join('docs', dirname(env.relativePath), href);
      if (/^\.\.?\//.test(href) && !path.startsWith('docs/'))
        token.attrSet('href', `${repository}/blob/main/${path}`);
    }
  });
}
