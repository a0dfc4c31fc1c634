const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*\{?\.?([\w+#-]*)/;

/** Names of each language, in fences and in queries. JavaScript and TypeScript count as one. */
const FAMILIES = [
  'javascript js jsx mjs cjs node nodejs typescript ts tsx mts cts',
  'python py python3 py3 pycon ipython',
  'shell sh bash zsh fish console shell-session shellsession terminal powershell ps1 bat cmd',
  'ruby rb',
  'go golang',
  'rust rs',
  'csharp cs c#',
  'cpp c++ cc cxx hpp',
  'c h',
  'kotlin kt kts',
  'fsharp f# fs',
  'objective-c objectivec objc',
  'visualbasic vb vbnet',
  'haskell hs',
  'elixir ex exs',
  'clojure clj',
  'perl pl',
  'yaml yml',
  'json json5 jsonc',
];
const FAMILY_BY_NAME = new Map(
  FAMILIES.flatMap((family) => {
    const names = family.split(' ');
    return names.map((name): [string, string] => [name, names[0] ?? name]);
  }),
);

/** Commands, data, markup and output appear in documents of every language. */
const NEUTRAL = new Set(
  (
    'shell json yaml toml ini env properties dotenv xml html css scss less sql graphql http text txt plain plaintext none output log diff patch ' +
    'markdown md mdx csv mermaid dockerfile docker nginx makefile regex tree'
  ).split(' '),
);

/** Returns the same name for all names of a language. */
export function normalizeLanguage(name: string): string {
  const lower = name.trim().toLowerCase();
  return FAMILY_BY_NAME.get(lower) ?? lower;
}

/** The languages of all fences in a text, each once. */
export function codeLanguages(text: string): string[] {
  const languages = new Set<string>();
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const found = FENCE.exec(line);
    if (!found) continue;
    const [, mark = '', name = ''] = found;
    if (fence === undefined) {
      fence = mark;
      if (name !== '') languages.add(normalizeLanguage(name));
    } else if (mark.startsWith(fence) && line.trim() === mark) fence = undefined;
  }
  return [...languages];
}

/** Whether a passage with code in these languages suits the wanted one: it has some, or only neutral code. */
export function isForLanguage(languages: readonly string[], wanted: string): boolean {
  return languages.includes(wanted) || languages.every((language) => NEUTRAL.has(language));
}
