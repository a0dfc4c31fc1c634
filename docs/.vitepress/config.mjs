import { defineConfig } from 'vitepress';
import { toAnchor } from './anchors.mjs';
import { linkToRepository } from './repository-links.mjs';
import { SIDEBAR } from './sidebar.mjs';

const REPOSITORY = 'https://github.com/dacapo-dev/dacapo';

export default defineConfig({
  title: 'Dacapo',
  description: 'Records AI calls of Node applications and replays them through new code.',
  outDir: './dist',
  cacheDir: '../.cache/site',
  rewrites: { 'README.md': 'index.md', 'adr/README.md': 'adr/index.md' },
  cleanUrls: true,
  markdown: {
    anchor: { slugify: toAnchor },
    config: (markdown) => {
      markdown.use(linkToRepository, REPOSITORY);
    },
  },
  themeConfig: {
    sidebar: SIDEBAR,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
  },
});
