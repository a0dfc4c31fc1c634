import type { CommandRow } from './command-table.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const FORMATS: Readonly<Record<Shell, (rows: readonly CommandRow[]) => string>> = {
  bash: formatBash,
  zsh: formatZsh,
  fish: formatFish,
};

/** A script that completes commands, options and their choices; elsewhere the shell completes files. */
export function formatCompletion(shell: Shell, rows: readonly CommandRow[]): string {
  return FORMATS[shell](rows);
}

function formatBash(rows: readonly CommandRow[]): string {
  return `# Completion of dacapo for bash. Load it in ~/.bashrc: source <(dacapo completion bash)
_dacapo() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command="" word offered=""
${formatCases('"${COMP_WORDS[@]:1:COMP_CWORD-1}"', rows)}
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _dacapo dacapo
`;
}

function formatZsh(rows: readonly CommandRow[]): string {
  return `#compdef dacapo
# Completion of dacapo for zsh. Load it in ~/.zshrc, below compinit: source <(dacapo completion zsh)
_dacapo() {
  local current=\${words[CURRENT]} previous=\${words[CURRENT-1]} command="" word
  local -a typed=("\${(@)words[2,CURRENT-1]}")
  local offered=""
${formatCases('"${typed[@]}"', rows)}
  if [[ -n $offered ]]; then compadd -- \${=offered}; else _files; fi
}
compdef _dacapo dacapo
`;
}

/** Finds the command among the typed words, and what may follow. bash and zsh read it alike. */
function formatCases(typed: string, rows: readonly CommandRow[]): string {
  const commands = rows.filter(({ path }) => path !== '');
  const choices = rows.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => ({ path, ...option })),
  );
  return `  for word in ${typed}; do
    case "$command $word" in
${commands.map(({ path }) => `      "${parentPath(path)} ${path.split(' ').at(-1) ?? ''}") command="${path}" ;;`).join('\n')}
    esac
  done
  case "$command $previous" in
${choices.map(({ path, flag, choices: words }) => `    "${path} ${flag}") offered="${words.join(' ')}" ;;`).join('\n')}
    *)
      case "$command:$current" in
${rows.map(({ path, options }) => `        "${path}:-"*) offered="${options.map(({ flag }) => flag).join(' ')}" ;;`).join('\n')}
${rows.map(({ path, subcommands }) => `        "${path}:"*) offered="${subcommands.map(({ name }) => name).join(' ')}" ;;`).join('\n')}
      esac
      ;;
  esac`;
}

function formatFish(rows: readonly CommandRow[]): string {
  const commands = rows.filter(({ path }) => path !== '');
  const lines = rows.flatMap(({ path, subcommands, options }) => {
    const when = `-n '__dacapo_is "${path}"'`;
    return [
      ...subcommands.map(
        ({ name, description }) => `complete -c dacapo -f ${when} -a ${name} -d ${quote(description)}`,
      ),
      ...options.map(({ flag, description, takesValue, choices }) => {
        const values = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `complete -c dacapo ${when} -l ${flag.slice(2)}${values} -d ${quote(description)}`;
      }),
    ];
  });
  return `# Completion of dacapo for fish. Store it: dacapo completion fish > ~/.config/fish/completions/dacapo.fish
function __dacapo_is
    set -l command
    for word in (commandline -opc)[2..]
        switch "$command $word"
${commands.map(({ path }) => `            case '${parentPath(path)} ${path.split(' ').at(-1) ?? ''}'\n                set command '${path}'`).join('\n')}
        end
    end
    test "$command" = "$argv[1]"
end
${lines.join('\n')}
`;
}

/** The command above: `datasets` of `datasets add`. */
function parentPath(path: string): string {
  return path.split(' ').slice(0, -1).join(' ');
}

function quote(text: string): string {
  return `'${text.replace(/\s+/g, ' ').replace(/[\\']/g, '\\$&')}'`;
}
