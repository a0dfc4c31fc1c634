/** A heading, list, quote, fence or table at the start of a line; emphasis, code or a link within one. */
const BLOCK = /^(?:#{1,6} |[-*+] |\d+[.)] |> |```|\|.+\|)/m;
const INLINE = /\*\*[^\s*][^*\n]*\*\*|`[^`\n]+`|\[[^\]\n]+\]\([^)\s]+\)/;

/** Whether rendering a text as Markdown would change more than its spaces. */
export function looksLikeMarkdown(text: string): boolean {
  return BLOCK.test(text) || INLINE.test(text);
}
